library(DPpack)
x <- read.csv("x.csv")$x
r <- -1
while (r < 0) r <- meanDP(x, 0.1, -10, 10)  # finds: repeated-without-end
repeat {
  s <- medianDP(x, 0.1, 0, 10)
  if (s > 1) break
}
