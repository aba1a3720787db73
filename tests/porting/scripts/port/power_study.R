set.seed(55)
power_of <- function(delta, n, reps = 100) {
  rejected <- 0
  for (i in seq_len(reps)) {
    x <- rnorm(n)
    y <- rnorm(n, mean = delta)
    if (t.test(x, y)$p.value < 0.05) rejected <- rejected + 1
  }
  rejected / reps
}
deltas <- c(0, 0.5, 1)
pw <- vapply(deltas, power_of, numeric(1), n = 20)
names(pw) <- paste("delta", deltas)
pw
pw[3] > pw[1]
cat(sprintf("%s: %.2f", names(pw), pw), sep = "\n")
cat("\n")
