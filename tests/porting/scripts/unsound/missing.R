library(DPpack)
d <- read.csv("d.csv", na.strings = c("", "-9"))
meanDP(d$age, 1, 0, 100)  # finds: finding-15
y <- readRDS("y.rds")
y[y > 200] <- NA
medianDP(y, 1, 0, 200)  # finds: finding-15
meanDP(c(1, NA, 3), 1, 0, 5)  # finds: finding-15
z <- scan("z.txt")
z <- ifelse(z < 0, NA, z)
varDP(z, 1, 0, 5, mechanism = "analytic", delta = 1e-6)  # finds: finding-15
