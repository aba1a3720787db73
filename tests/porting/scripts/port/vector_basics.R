x <- c(4, 8, 15, 16, 23, 42)
x[x > 10]
x[-1]
rev(x)
cumsum(x)
diff(x)
range(x)
y <- x / 2
y
which(x == 16)
mean(x); median(x); var(x)
z <- round((x - mean(x)) / sd(x), 3)
z
any(z > 1.5)
seq(0, 1, by = 0.25)
rep(c("a", "b"), times = 2)
x %% 2 == 0
set.seed(4)
round(DPpack::varDP(x, 1, 0, 50), 2)
