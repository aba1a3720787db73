# a double beside integers makes doubles; integers beside integers stay integers
x <- 1:10
n <- 4
d <- data.frame(a = 1:4, b = c(2, 4, 6, 8))
1:3 * 2
x[1:n - 1]
x[2:n + 1]
x + 1L
k <- x + n
str(k)
w <- 1:3 * 2
w %/% 2
w %% 2
(1:3 * Inf) %/% 2
c(TRUE, FALSE) + 1
c(0:5, 10, 20)
c(1:2, n)
c(a = 1L, b = 2L)
c(a = 1, b = 2L)
d$a + 1
d$a * n
d$twice <- d$a * 2
d$one <- 1
d
cbind(1, 1:3)
cbind(x1 = 3, x2 = c(4:1, 2:5))
matrix(1:4, 2) * 2
sapply(1:3, function(i) i * 2)
f <- function(v) v + 1
f(1:3)
g <- function(m) numeric(m + 1)
g(2)
s <- 0
for (i in seq_along(x)) s <- s + x[i] * 2
s
rev(1:3) * 2
k <- 1:3
k[2] <- 5
k
cumsum(1:4) * 2
cumsum(1:4)
sum(x) + 1
add <- function(a, b = 2) a * b
add(1:3)
add(1:3, 4)
sapply(1:3, function(v, w) v * w, 2)
config <- list(n = 3, rate = 2L)
1:3 * config$n
1:3 * config$rate
Reduce(`+`, list(1, 2, 3))
tapply(1:3, factor(c("a", "b", "a"), levels = c("a", "b", "c")), sum, default = 0)
sweep(matrix(1:4, 2), 1, 5)
diag(1:2)
diag(2, 2)
addmargins(table(c(1, 2, 1), c(1, 1, 2)))
vapply(list(1:3, 4:6), sum, numeric(1))
vapply(list(1:3, 4:6), sum, integer(1))
vapply(1:3, function(i) i, numeric(1))
vapply(1:2, function(i) c(u = i, v = 2), numeric(2))
t <- table(c("b", "a", "b", "c"))
t[t > 1]
t[t > 0]
t["b"]
cat(1:10, fill = 20)
cat(1:9, fill = 20)
cat("a", "b", fill = TRUE)
t == 1
u <- t > 1
u
!u
