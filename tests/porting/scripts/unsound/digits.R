library(DPpack)
x <- read.csv("x.csv")$x
r <- meanDP(x, 1, 0, 100)
print(r, digits = 17)  # finds: finding-12
cat(sprintf("%.15f", r), format(r, digits = 16), "\n")  # finds: finding-12
options(digits = 15)
r  # finds: finding-12
