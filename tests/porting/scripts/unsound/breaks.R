library(DPpack)
age <- read.csv("people.csv")$age
histogramDP(age, 1, 0, 100)  # finds: finding-4
edges <- seq(min(age), max(age), length.out = 11)
histogramDP(age, 1, 0, 100, breaks = edges)  # finds: argument-from-data
histogramDP(age, 1, 0, 100, "Scott")  # finds: finding-4
