m <- matrix(c(12, 7, 5, 20, 9, 4), nrow = 2, byrow = TRUE)
rownames(m) <- c("urban", "rural")
colnames(m) <- c("bus", "car", "bike")
m
rowSums(m)
colSums(m)
round(m / rowSums(m), 2)
m["rural", "car"]
apply(m, 1, max)
t(m)
dim(m)
total <- sum(m)
cat("total trips:", total, "\n")
m[, "bike"]
