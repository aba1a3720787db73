a <- 0
b <- 1
n <- 0
while (b < 500) {
  tmp <- a + b
  a <- b
  b <- tmp
  n <- n + 1
}
n
b
ratio <- b / a
print(round(ratio, 6))
squares <- integer(0)
k <- 1
repeat {
  if (k^2 > 60) break
  squares <- c(squares, k^2)
  k <- k + 1
}
squares
