d <- expand.grid(dose = c("low", "high"), sex = c("f", "m"), rep = 1:2)
nrow(d)
d$y <- c(3.1, 4.2, 2.8, 5.0, 3.3, 4.0, 3.0, 5.4)
m <- with(d, tapply(y, list(dose, sex), mean))
m
m["high", "m"] - m["low", "m"]
apply(m, 1, mean)
aggregate(y ~ dose + sex, data = d, FUN = mean)
round(sweep(m, 2, colMeans(m)), 3)
main <- rowMeans(m) - mean(m)
round(main, 3)
d[d$y == max(d$y), ]
set.seed(10)
round(DPpack::sdDP(d$y, 1, 0, 10), 3)
