library(DPpack)
income <- readRDS("income.rds")
ends <- range(income, na.rm = TRUE)
medianDP(income, 1, lower.bound = ends[1], upper.bound = ends[2])  # finds: argument-from-data
q <- quantile(income, 0.99)
q[[1]] -> cap
sdDP(pmin(income, 5e4), 1, lower = 0, upper = cap, mech = "analytic", delta = 1e-6)  # finds: argument-from-data
total.eps <- 2
