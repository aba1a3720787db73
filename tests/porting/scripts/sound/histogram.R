library(DPpack)
age <- read.csv("d.csv")$age
h <- histogramDP(age, 1, 0, 100, breaks = seq(0, 100, 10))
plot(h)
barplot(h$counts)
