set.seed(9)
n <- 500
eps <- 1
delta_f <- 2
u <- runif(n) - 0.5
noise <- -delta_f / eps * sign(u) * log(1 - 2 * abs(u))
round(mean(noise), 4)
round(sd(noise), 4)
expected <- sqrt(2) * delta_f / eps
cat("expected sd", round(expected, 4), "\n")
inside <- mean(abs(noise) < 3)
inside
quantile(round(noise, 2), c(0.05, 0.5, 0.95))
