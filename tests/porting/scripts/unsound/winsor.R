library(DPpack)
wages <- read.csv("wages.csv")
p <- quantile(wages$pay, c(.01, .99))
w <- DescTools::Winsorize(wages$pay, p[1], p[2])
pay <- pmin(pmax(wages$pay, p[1]), p[2])
meanDP(pay, 1, 0, 5000)  # finds: records-changed
