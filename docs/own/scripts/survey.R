library(DPpack)
survey <- read.csv("survey.csv")

set.seed(1)
top <- max(survey$income)
m <- meanDP(survey$income, 0.5, 0, top)
m
v <- varDP(survey$age, 1, 0, 100)
ages <- cut(survey$age, c(0, 40, 100))
by(survey$income, ages, mean)
cat("mean", m, "instead of", mean(survey$income), "\n")
