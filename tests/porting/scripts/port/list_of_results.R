run <- function(x, label = "run", digits = 2) {
  out <- list(label = label, n = length(x), mean = round(mean(x), digits))
  out$sd <- round(sd(x), digits)
  out
}
r1 <- run(c(2.5, 3.5, 4.25))
r1$mean
r2 <- run(c(10, 20, 40), label = "second", digits = 1)
results <- list(r1, r2)
for (r in results) {
  cat(r$label, ": n =", r$n, "mean =", r$mean, "sd =", r$sd, "\n")
}
sapply(results, function(r) r$mean)
names(r2)
r2[["label"]]
length(results)
unlist(lapply(results, function(r) r$sd))
