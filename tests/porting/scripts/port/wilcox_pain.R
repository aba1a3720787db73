a <- c(3.4, 5.1, 2.2, 4.7, 6.3)
b <- c(6.8, 7.1, 5.5, 8.2, 9.0)
w <- wilcox.test(a, b)
w$p.value
unname(w$statistic)
ks.test(a, b)$p.value
r <- rank(c(a, b))
sum(r[seq_along(a)]) - 15
med <- c(a = median(a), b = median(b))
med
diff(med)
var.test(a, b)$p.value > 0.05
shapiro.test(c(a, b))$p.value > 0.1
cat("medians:", med, "\n", sep = " ")
set.seed(7)
round(DPpack::medianDP(b, 2, 0, 10), 3)
