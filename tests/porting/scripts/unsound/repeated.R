library(DPpack)
d <- read.csv("d.csv")
meanDP(d$age, 0.5, 0, 100)
medianDP(d$income, 0.7, 0, 1e6)
covDP(d$age, d$income, 0.5, 0, 100, 0, 1e6)  # finds: repeated
