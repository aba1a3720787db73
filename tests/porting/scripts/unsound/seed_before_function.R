set.seed(1)  # finds: seed
f <- function(v) DPpack::medianDP(v, 1, 0, 100)
f(read.csv("x.csv")$x)
set.seed(2)  # finds: seed
DPpack::tableDP(factor(read.csv("y.csv")$y, levels = c("no", "yes")), eps = 1)
