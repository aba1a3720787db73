library(DPpack)
d <- read.csv("d.csv")
config <- list(age = list(lower = 0, upper = max(d$age)), income = list(limits = list(upper = 1e5)))
config$income$limits$lower <- min(d$income)
total.eps <- 1
meanDP(d$age, total.eps / 2, config$age$lower, config$age$upper)  # finds: argument-from-data
medianDP(d$income, total.eps / 2, config$income$limits$lower, config$income$limits$upper)  # finds: argument-from-data
