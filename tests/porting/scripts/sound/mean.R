library(DPpack)
survey <- read.csv("survey.csv")
r <- meanDP(survey$age, eps = 0.5, lower.bound = 0, upper.bound = 100)
print(r)
