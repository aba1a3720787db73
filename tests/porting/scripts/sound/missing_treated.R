library(DPpack)
d <- read.csv("d.csv", na.strings = "-9")
d$age[is.na(d$age)] <- 50
total_eps <- 1
meanDP(d$age, total_eps / 4, 0, 100)
medianDP(ifelse(is.na(d$income), 0, d$income), total_eps / 4, 0, 1e5)
d$weight <- dplyr::coalesce(d$weight, 70)
medianDP(d$weight, total_eps / 4, 0, 200)
h <- histogramDP(d$height, total_eps / 4, 0, 250, breaks = c(0, 150, 200, 250))
