library(DPpack)
spent <- 0
budget <- 1
pay <- function(eps) {
  if (spent + eps > budget) stop("the budget is spent")
  spent <<- spent + eps
  eps
}
d <- read.csv("d.csv")
a <- meanDP(d$a, pay(0.5), 0, 1)
b <- meanDP(d$b, 0.5, 0, 1)
