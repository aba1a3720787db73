library(DPpack)
d <- read.csv("d.csv")
for (name in names(d)) print(meanDP(d[[name]], 0.1, 0, 1))  # finds: repeated-without-end
