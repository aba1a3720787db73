d <- data.frame(sex = c("f", "m", "m", "f", "f", "m", "f"), smoker = c("no", "yes", "no", "no", "yes", "no", "no"))
t1 <- table(d$sex, d$smoker)
t1
addmargins(t1)
round(prop.table(t1, 1), 2)
t1["f", "no"]
dimnames(t1)
chi <- sum((t1 - outer(rowSums(t1), colSums(t1)) / sum(t1))^2 / (outer(rowSums(t1), colSums(t1)) / sum(t1)))
round(chi, 4)
apply(t1, 1, sum)
