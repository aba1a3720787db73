set.seed(1)
n <- 6
x <- rnorm(n)
y <- c(1, 2)
x * y
x[x > 0] + y[1:2]
k <- x > 0
sum(k)
x[k] - x[!k]
z <- x[x > 0]
z / seq_len(2)
x >= z[1:3]
(x > 0) & (y > 1)
x > 0 | rep(c(TRUE, FALSE), length.out = n)
w <- c(a = 1, b = 2, c = 3, d = 4, e = 5, f = 6)
w * y
y * w
w == y
u <- unique(c(1, 2, 2, 3))
u + x
x - u
scale_by <- function(v, by) v / by
scale_by(x, y)
scale_by(x, 2)
weights <- function(v, s = 1) s * v
weights(c(2, 4, 6))
f <- function(v) {
  m <- v[v > mean(v)]
  v + m
}
f(c(1, 2, 3, 10))
d <- data.frame(g = c("a", "b", "a", "b"), v = 1:4)
d$v * c(1, 10)
d$v * u[1:2]
d$v == c(1, 4)
grown <- c()
for (i in 1:4) grown <- c(grown, i)
grown * d$v
grown * y
total <- 0
for (i in 1:3) total <- total + x
total
sapply(1:3, function(i) i * y)
paste(d$g, x > y)
ints <- 1:6
ints * c(1L, 2L)
ints + which(ints > 4)
ints %% which(ints > 3)
ints^which(ints > 4)
letters[1:4] == unique(c("a", "b", "a"))
head(x, 4) + tail(y, 2)
none <- x[x > 100]
none + y
none * 2
diff(x) / x[-1]
x[-n] + diff(x)
t1 <- table(c("a", "b", "a"))
t1 * c(1, 2)
t1 + u[1:2]
m <- matrix(1:4, 2)
m * y
m * u[1:2]
x <- c(1, 2, 3, 4)
g2 <- numeric(0)
for (v in x) g2 <- c(g2, v)
g2 - x
g3 <- NULL
for (v in x) if (v > 1) g3 <- c(g3, v)
g3 * g3
g3 * y
h <- numeric(0)
for (i in 1:4) h[i] <- i
h * x
list(a = 1)["z"]
k <- numeric(3)
for (i in 1:5) k[i] <- i
k
k2 <- numeric(5)
for (i in 1:5) k2[i] <- i
k2
fill <- function(n, m = 3) {
  out <- numeric(n)
  for (i in seq_len(n)) out[i] <- i^2
  for (i in 2:n) out[i] <- out[i - 1] + i
  for (j in 1:m) out[j] <- 0
  out
}
fill(4)
fill(2, 6)
v <- c(1, 2)
v[4] <- 9
v
