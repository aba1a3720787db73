# Bounds that come from the data, by way of variables.
library(DPpack)
survey <- read.csv("survey.csv")
age <- survey$age
low <- floor(min(age))
high <- ceiling(max(age)) + 1
r <- meanDP(age, 0.5, low, high)  # finds: argument-from-data
print(r)
