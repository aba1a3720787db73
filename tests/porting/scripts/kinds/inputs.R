library(DPpack)
library(dplyr)
# arguments that are empty, partial or swallowed
set.seed(1)
rmutil::rlaplace(1, , 50)
rnorm(2, , 5)
matrix(1:6, , 2)
seq(1, 10, , 4)
x <- c(20, 40, 60)
meanDP(x, .5, 0, 100, , "Gaussian", 1e-5)
f <- factor(c("a", "b", "a"))
f[f == "a", drop = TRUE]
f[2:3, drop = TRUE]
factor(c(1, NA), exclude = NULL) # refused
data.frame(x = 1:2, row.names = c("p", "q"))
# groups
v <- data.frame(site = c("a", "a", "b"), kind = c("k", "l", "k"))
shares <- v %>% group_by(site, kind) %>% summarise(n = n()) %>% mutate(share = n / sum(n))
counted <- v %>% group_by(site, kind) %>% summarise(n = n())
shares2 <- counted %>% mutate(share = n / sum(n))
most <- counted %>% filter(n == max(n))
by_g <- data.frame(g = c(1, 1, 2), v = c(1, 2, 3)) %>% group_by(g)
sums <- by_g %>% mutate(q = cumsum(v))
as.data.frame(shares)
as.data.frame(most)
as.data.frame(sums)
# types of columns
d <- data.frame(w = c("x", "y"), y = c(1, 2))
rbind(d, list("z", 3))
t1 <- data.frame(a = c(TRUE, FALSE))
t2 <- rbind(t1, data.frame(a = NA)) # refused
# dimensions
dim(outer(matrix(1:4, 2), 1:2))
z <- array(1:8, c(2, 2, 2))
dimnames(z) <- list(c("a", "b"), NULL, NULL)
z
m <- matrix(1:4, 2)
dimnames(m) <- list(c(1, 2), c("u", "v"))
m
names(dimnames(table(s = c("a", "b"), t = c("c", "d")))) # refused
# recycling, zero and absence
x <- c(10, 5)
y <- c(x, x)
2 * x + y
hits <- c(0, 3, 0)
trials <- c(0, 6, 2)
trials / hits # refused
one <- 3
none <- 0
one / none
none / none # refused
d2 <- data.frame(a = 1:2)
d2$y <- NULL
d2
u <- pmin(9, c(1, 30))
c(u, u)
w <- c(1, 2)
if (identical(w, c(1, 2))) "same" else "different"
w[7]
s <- 7
diff(s)
data.frame(a = 1:4, b = 1:2)
str(list(a = 1)) # refused
desc(1:3) # refused
# functions
g <- function(scale = 1, x) x / scale
g(x = 4)
g(2, 6)
h <- function(n = length(s), s = c(1, 2)) n
h()
hidden <- function(x) return(invisible(x))
hidden(2)
acc <- list(say = function() invisible(3))
acc$say()
c(a = 1, 2)
c(fruit = "a", fruit = "b")
k <- data.frame(class = 1:2, lambda = c(.5, 1))
k$class + k$lambda
mutate(k, both = class * lambda)
o <- factor(c("lo", "hi"))
levels(o) <- c("high", "low")
o
(-x)^2
dots <- function(...) sum(...)
dots(1, 2)
pick <- function(k) switch(k + 1, "zero", "one", "two")
pick(1)
mapply(function(a, b) a + b, data.frame(a = 1:2, b = 3:4)$a, c(1, 1))
both <- merge(data.frame(id = 1:3, h = c("a", "b", "a")), data.frame(id = 1:3, s = c(1, 2, 4)))
with(both, tapply(s, h, mean))
# names of results
names(t.test(c(1, 2, 3, 4))) # refused
names(histogramDP(c(1, 2, 3), 1, 0, 5, 3)) # refused
