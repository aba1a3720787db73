library(DPpack)
people <- read.csv("people.csv")
tableDP(people$region, eps = 0.5)  # finds: finding-8
people$job <- factor(people$job, levels = unique(people$job))
tableDP(people$job, eps = 0.5)  # finds: levels-from-data
known <- levels(factor(people$town))
tableDP(factor(people$town, levels = known), eps = 0.5)  # finds: levels-from-data
d <- people[people$age > 20, ]
tableDP(ifelse(d$age > 64, "old", "young"), people$sex, eps = 0.1)  # finds: finding-8
