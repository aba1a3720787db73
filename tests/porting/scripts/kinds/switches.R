# switch by a string, and data frames of matrices
convert <- function(x, unit) {
  switch(unit, kg = x, g = x / 1000, t = x * 1000, stop("unknown unit"))
}
convert(2, "g")
convert(2, "t")
area <- function(s) switch(s, a = , b = "first", "other")
area("a")
area("z")
sapply(c("a", "z"), area)
j <- 2
N <- 3
d <- data.frame(matrix(j-1, N, 1))
d
names(d)
e <- rbind(data.frame(), d)
e
data.frame(matrix(1:4, 2))
data.frame(a = matrix(1:4, 2), b = 1:2)
data.frame(a = matrix(1:2, 2))
data.frame(k = 1:2, m = cbind(u = 1:2, v = 3:4))
