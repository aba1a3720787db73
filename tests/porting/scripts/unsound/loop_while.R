library(DPpack)
d <- read.csv("d.csv")
repeat {
  v <- varDP(d$x, 1, 0, 10, mechanism = "analytic", delta = 1e-6)  # finds: repeated-without-end
  if (v > 2) break
}
