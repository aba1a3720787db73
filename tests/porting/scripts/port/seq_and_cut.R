x <- seq(0, 100, length.out = 11)
x
classes <- cut(x, c(0, 25, 50, 100), include.lowest = TRUE)
levels(classes)
as.vector(table(classes))
findInterval(c(10, 60), c(0, 25, 50))
h <- hist(x, breaks = c(0, 50, 100), plot = FALSE)
h$counts
round(quantile(x, c(0.1, 0.9)), 1)
tail(x, 3)
x[x %in% c(20, 30)]
seq(10, 1, by = -3)
seq_len(5)^2
rev(seq(2, 8, 2))
round(exp(-1:1), 3)
