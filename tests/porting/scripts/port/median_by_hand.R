library(DPpack)
set.seed(14)
x <- sort(c(7, 3, 9, 12, 5, 8, 11))
n <- length(x)
mid <- if (n %% 2 == 1) x[(n + 1) / 2] else mean(x[n / 2 + 0:1])
mid
mid == median(x)
private <- medianDP(x, 2, 0, 20)
round(private, 3)
gap <- abs(private - mid)
message("gap computed")
gap < 20
rank(c(7, 3, 9, 3))
