set.seed(77)
cover <- function(n, reps = 200, level = 0.95) {
  hits <- logical(reps)
  for (i in 1:reps) {
    x <- rnorm(n, mean = 10, sd = 3)
    half <- qt(1 - (1 - level) / 2, n - 1) * sd(x) / sqrt(n)
    hits[i] <- abs(mean(x) - 10) <= half
  }
  mean(hits)
}
sizes <- c(5, 20)
covered <- sapply(sizes, cover)
names(covered) <- paste0("n", sizes)
covered
all(covered > 0.9)
