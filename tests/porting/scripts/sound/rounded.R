library(DPpack)
options(digits = 15)
x <- read.csv("x.csv")$x
r <- meanDP(x, 1, 0, 100)
print(round(r, 2))
cat(sprintf("%.2f", r), "\n")
tableDP(factor(read.csv("t.csv")$s, levels = c("a", "b")), eps = 1)
