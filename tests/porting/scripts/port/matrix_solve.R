A <- matrix(c(2, 1, 1, 3), 2, 2)
b <- c(5, 10)
x <- solve(A, b)
x
A %*% x
det(A)
solve(A)
I <- diag(2)
A %*% solve(A) - I < 1e-12
crossprod(A)
t(A) %*% A
dim(rbind(A, c(9, 9)))
cbind(a = 1:2, b = 3:4)
sum(diag(A))
upper.tri(A)
outer(1:3, 1:3)
