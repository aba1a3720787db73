library(DPpack)
set.seed(88)
ledger <- data.frame(what = character(0), eps = numeric(0))
spend <- function(ledger, what, eps, limit = 2) {
  if (sum(ledger$eps) + eps > limit) stop("budget exceeded")
  rbind(ledger, data.frame(what = what, eps = eps))
}
x <- c(20, 25, 31, 28, 22, 35)
ledger <- spend(ledger, "mean", 1)
m <- meanDP(x, 1, 15, 40)
ledger <- spend(ledger, "variance", 0.5)
v <- varDP(x, 0.5, 15, 40)
ledger
sum(ledger$eps)
remaining <- 2 - sum(ledger$eps)
cat("remaining:", remaining, "\n")
round(c(mean = m, variance = v), 2)
