# labels of dimensions, and the type of what begins as NA
t1 <- table(c("f", "m", "f"), c("n", "y", "y"))
dimnames(t1)
dimnames(t1)[[1]]
t2 <- table(sex = c("f", "m", "f"), smoker = c("n", "y", "y"))
dimnames(t2)
dimnames(t2)$smoker
m <- matrix(1:4, 2)
dimnames(m)
dimnames(m) <- dimnames(t2)
m
k <- matrix(c(1, 2, 3, 4), 2, dimnames = dimnames(t2))
k
dimnames(k)
dimnames(k) <- list(c("a", "b"), NULL)
dimnames(k)
res <- rep(NA, 3)
for (i in 1:3) res[i] <- sqrt(i)
res
res2 <- rep(NA, 3)
for (i in 1:3) res2[i] <- i # refused
o <- data.frame(a = c("x", "y"), n = NA, v = NA)
o$v[2] <- 0.5
o$n[1] <- 3L # refused
