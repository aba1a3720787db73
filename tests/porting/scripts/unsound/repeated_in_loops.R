library(DPpack)
d <- read.csv("d.csv")
eps <- 0.1
for (column in c("age", "income", "debt")) {
  cat(column, meanDP(d[[column]], eps, 0, 100), "\n")  # finds: repeated
}
other <- read.csv("other.csv")
draws <- replicate(100, meanDP(other$x, 0.1, 0, 1, mechanism = "Gaussian", delta = 1e-6))  # finds: repeated
again <- read.csv("again.csv")
means <- sapply(c("a", "b"), function(name) meanDP(again[[name]], eps, 0, 1))  # finds: repeated
