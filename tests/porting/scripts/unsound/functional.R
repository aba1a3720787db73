library(DPpack)
library(purrr)
files <- c("a.csv", "b.csv")
d <- read.csv("a.csv")
limits <- lapply(d, range)
release <- function(name) meanDP(d[[name]], 0.5, limits[[name]][1], limits[[name]][2])  # finds: argument-from-data
out <- map_dbl(c("x", "y"), release)
set.seed(99)  # finds: seed
e <- read.csv("e.csv")
bins <- hist(e$x, plot = FALSE)$breaks
h <- histogramDP(e$x, 1, 0, 10, breaks = bins)  # finds: argument-from-data
message(mean(e$x))  # finds: raw-value
