# Everyday R whose counterpart in Python differs from what the words suggest: one kind in each section.
set.seed(1)

f1 <- factor(c("a", "b", "a"))
g1 <- f1[f1 == "a", drop = TRUE]
n1 <- nlevels(g1)
l1 <- levels(g1)

d2 <- data.frame(x = 1:2, row.names = c("p", "q"))
n2 <- names(d2)
r2 <- rownames(d2)

d3 <- data.frame(a = c("x", "y"), b3 = c(1, 2))
e3 <- rbind(d3, list("z", 3))
b3 <- e3$b3
s3 <- sum(e3$b3)

o4 <- outer(matrix(1:4, 2), 1:2)
d4 <- dim(o4)
s4 <- o4[2, 1, 2]

z5 <- array(1:8, c(2, 2, 2))
dimnames(z5) <- list(c("a", "b"), c("c", "d"), c("e", "f"))
v5 <- z5["a", "d", "f"]
w5 <- dimnames(z5)[[3]]

x6 <- c(10, 5)
y6 <- c(x6, x6)
z6 <- 2 * x6 + y6
w6 <- y6 > x6

hits7 <- 3
trials7 <- 0
r7 <- hits7 / trials7
q7 <- 0 / trials7
s7 <- -1 / trials7
n7 <- length(c())
m7 <- sum(c(1, 2)) / n7

d8 <- data.frame(x = 1:2)
d8$y <- NULL
n8 <- names(d8)

f9 <- function(scale = 1, x) x / scale
a9 <- f9(2, 8)
b9 <- f9(x = 8)

x10 <- c(a = 1, 2)
n10 <- names(x10)

f11 <- factor(c("a", "b", "a"))
levels(f11) <- c("high", "low")
n11 <- levels(f11)
k11 <- as.character(f11)

x12 <- c(1, 2)
y12 <- (-x12)^2
z12 <- -x12^2

f13 <- function(k) switch(k + 1, "one", "two", "three")
a13 <- f13(0)
b13 <- f13(1)
x13 <- 2
d13 <- switch(x13, "a", "b", "c")

f14 <- function(type) switch(substr(type, 1, 1), m = "mean", d = "median", "other")
a14 <- f14("mean")
b14 <- f14("x")

x15 <- numeric(3)
x15[sample(3, 1)] <- runif(1)
y15 <- runif(1)

d16 <- data.frame(a = 1:3, b = 4:6)
m16 <- mapply(function(u, v) u + v, d16$a, d16$b)
k16 <- mapply(function(col, w) sum(col) * w, d16, c(1, 2))
s16 <- sapply(d16, mean)

u17 <- pmin(9, c(1, 30))
v17 <- c(u17, u17)
n17 <- length(v17)
w17 <- v17 + 0

v18 <- c(1, 2)
a18 <- identical(v18, c(1, 2))
b18 <- if (identical(v18, c(1, 2))) "yes" else "no"

f19 <- factor(c("a", "b", "c"))
g19 <- f19[2:3, drop = TRUE]
n19 <- levels(g19)

s20 <- 7
d20 <- diff(s20)
n20 <- length(d20)

z21 <- matrix(1:4, 2)
dimnames(z21) <- list(c(1, 2), c("a", "b"))
r21 <- rownames(z21)

f22 <- function(n = length(s), s = c(1, 2)) n
a22 <- f22()
b22 <- f22(s = 1:5)

d23 <- data.frame(class = c(1, 2), lambda = c(3, 4))
a23 <- d23$class
b23 <- d23$lambda
e23 <- sum(d23$class * d23$lambda)
d23$lambda <- d23$lambda * 2
g23 <- d23$lambda
x23 <- c(class = 1, lambda = 2)
y23 <- x23["lambda"]

x24 <- c(fruit = "a", fruit = "b")
n24 <- names(x24)

d25 <- data.frame(a = 1:4, b25 = c("x", "y"))
b25 <- d25$b25
e25 <- data.frame(a = 1:4, g = rep(1:2, 1))
h25 <- e25$g

u26 <- data.frame(h = c("a", "b", "a"), s = c(1, 2, 3))
w26 <- data.frame(h = c("a", "b"), k = c(5, 6))
merged26 <- merge(u26, w26)
m26 <- with(merged26, tapply(s, h, mean))
a26 <- m26["a"]
b26 <- m26[["b"]]

x27 <- c(1, 2, 3)
y27 <- x27[7]
z27 <- x27[2:5]
