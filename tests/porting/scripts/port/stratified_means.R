library(DPpack)
set.seed(21)
d <- data.frame(area = c("u", "r", "u", "u", "r", "r", "u", "r"), age = c(34, 51, 29, 46, 63, 58, 37, 44))
areas <- sort(unique(d$area))
out <- data.frame(area = areas, n = NA, mean = NA)
for (i in seq_along(areas)) {
  x <- d$age[d$area == areas[i]]
  out$n[i] <- length(x)
  out$mean[i] <- meanDP(x, 1, 18, 90)
}
out$mean <- round(out$mean, 2)
out
weighted.mean(out$mean, out$n)
cat("spent: epsilon 1, since the areas are disjoint\n")
