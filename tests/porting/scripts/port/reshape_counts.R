long <- data.frame(id = rep(1:3, each = 2), wave = rep(1:2, 3), score = c(10, 12, 9, 9, 14, 17))
wide <- matrix(long$score, ncol = 2, byrow = TRUE, dimnames = list(1:3, c("w1", "w2")))
wide
change <- wide[, "w2"] - wide[, "w1"]
change
mean(change)
up <- names(change)[change > 0]
up
long$z <- (long$score - mean(long$score)) / sd(long$score)
round(tapply(long$z, long$wave, mean), 4)
merge(long[long$wave == 1, c("id", "score")], data.frame(id = 1:3, group = c("x", "y", "x")))
do.call(rbind, lapply(split(long, long$id), function(p) data.frame(id = p$id[1], best = max(p$score))))
