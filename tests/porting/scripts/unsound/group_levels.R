library(DPpack)
library(dplyr)
d <- read.csv("d.csv")
r <- d %>% group_by(region) %>% summarise(m = meanDP(x, 1, 0, 100))  # finds: levels-from-data
e <- read.csv("e.csv")
tapply(e$x, e$region, function(v) meanDP(v, 1, 0, 100))  # finds: levels-from-data
f <- read.csv("f.csv")
sapply(split(f$x, f$region), medianDP, eps = 1, lower.bound = 0, upper.bound = 100)  # finds: levels-from-data
g <- read.csv("g.csv")
for (k in unique(g$region)) medianDP(g$x[g$region == k], 1, 0, 100)  # finds: levels-from-data
h <- read.csv("h.csv")
aggregate(x ~ region, h, function(v) medianDP(v, 1, 0, 100))  # finds: levels-from-data
k <- read.csv("k.csv")
names <- sort(levels(factor(k$region)))
r <- lapply(names, function(n) medianDP(subset(k, region == n)$x, 1, 0, 100))  # finds: levels-from-data
l <- read.csv("l.csv")
r <- summarise(l, m = medianDP(x, 1, 0, 100), .by = region)  # finds: levels-from-data
m <- data.table::fread("m.csv")
r <- m[, .(m = medianDP(x, 1, 0, 100)), by = region]  # finds: levels-from-data
n <- read.csv("n.csv")
r <- n %>% nest_by(region) %>% mutate(m = medianDP(data$x, 1, 0, 100))  # finds: levels-from-data
