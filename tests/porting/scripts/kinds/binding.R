# the names of columns and rows are those of the arguments, also where only some have one
x <- 1:3
dd <- 10
cbind(x, log(1 + x), exp(x))
cbind(log(x), x)
cbind(k = x, choose(1/2, x), dd)
rbind(1:4, c = 2, "a++" = 10, dd)
rbind(1:4, c = 2, "a++" = 10, dd, deparse.level = 0)
rbind(1:4, c = 2, dd, deparse.level = 2) # refused
cbind(x, x)
m <- matrix(1:6, 3)
cbind(m, x)
cbind(m, x, 7)
cbind(I = 0, X = rbind(a = 1, b = 1:3))
rbind(m, total = c(1, 2))
matrix(1, 0, 3)
cbind(0, matrix(1, nrow = 0, ncol = 4))[, 1:2]
cbind(x = 10^-(1:9), y = 1:9)
matrix(1:9, 9)
