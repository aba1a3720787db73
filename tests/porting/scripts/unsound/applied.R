library(DPpack)
d <- read.csv("d.csv")
e <- c(0.1, 0.2, 0.3)
r <- lapply(e, function(k) meanDP(d$x, k, 0, 100))  # finds: repeated
f <- read.csv("f.csv")
r <- purrr::map_dbl(e, ~ meanDP(f$x, .x, 0, 100))  # finds: repeated
g <- read.csv("g.csv")
r <- vapply(e, meanDP, numeric(1), x = g$x, lower.bound = 0, upper.bound = 100)  # finds: repeated
h <- read.csv("h.csv")
r <- sapply(seq(0.5, 2, by = 0.5), function(k) medianDP(h$x, eps = k / 2, 0, 100))  # finds: repeated
k <- read.csv("k.csv")
r <- Map(function(v, u) meanDP(k[[v]], 0.1, 0, u), c("a", "b"), c(10, 20))  # finds: repeated
l <- read.csv("l.csv")
r <- mapply(function(v, u) meanDP(v, 0.1, 0, u), l, sapply(l, max))  # finds: argument-from-data repeated-without-end
m <- read.csv("m.csv")
for (k in c(0.5, 1)) print(meanDP(m$x, k, 0, 100))  # finds: repeated
