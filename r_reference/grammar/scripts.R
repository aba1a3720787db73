# a mean of ages with noise, by hand
library(stats)
age <- c(23, 41.5, NA, 67)
bounds <- list(lower = 18, upper = 90)
clip <- function(x, lower, upper, ...) {
  x <- x[!is.na(x)]
  if (length(x) == 0L) {
    stop("nothing is left: ", deparse(substitute(x)), call. = FALSE)
  } else if (lower > upper)
    return(NULL)
  else
    pmin(pmax(x, lower), upper)
}
laplace <- function(n, scale = 1) {
  u <- stats::runif(n, -.5, .5)
  -scale * sign(u) * log(1 - 2 * abs(u))
}
noisy <- mean(clip(age, bounds$lower, bounds[["upper"]])) + laplace(1L, scale = (90 - 18) / (4 * 1e-1))
cat(sprintf("%.2f\n", noisy), sep = "")
#----
d <- data.frame(g = factor(c("a", "b", "a")), y = 1:3, stringsAsFactors = FALSE)
fit <- lm(log(y + 1) ~ 0 + g, data = d, subset = y > 1 & !is.na(g))
out <- d |> subset(g == "a", select = c(y)) |> transform(z = y^2) |> lm(y ~ z, data = _)
d[d$y >= 2 & d$g %in% "a", "y"] <- -1L
for (level in levels(d$g)) {
  rows <- which(d$g == level)
  if (!length(rows)) next
  repeat {
    rows <- rows[-1]
    if (length(rows) < 1) break
  }
}
result <- tryCatch({
  sapply(split(d$y, d$g), \(v) sum(v) / max(1, length(v)))
}, error = function(e) { warning(conditionMessage(e)); NULL }, finally = message("done"))
#----
setClass("Account", representation(spent = "numeric"))
setMethod("spend", "Account", function(object, epsilon) {
  object@spent <- object@spent + epsilon
  object
})
model <- DPpack::LogisticRegressionDP$new("l2", eps = 1, gamma = .1)
model$fit(X, y, upper.bounds = c(1, 1), lower.bounds = c(-1, -1))
switch(kind, a = , b = "first", "other")
x[["a", exact = FALSE]]$b[, 1, drop = TRUE]@c
