wages <- data.frame(sector = c("public", "private", "private", "public", "private"), wage = c(21.5, 18.25, 33.1, 24.0, 19.75), hours = c(38, 40, 42, 36, 20))
wages$monthly <- wages$wage * wages$hours * 4.3
str(wages)
summary(wages$wage)
by_sector <- split(wages$wage, wages$sector)
sapply(by_sector, range)
lapply(by_sector, length)
wages[wages$hours < 40, ]
colMeans(wages[, c("wage", "hours")])
wages <- wages[order(-wages$wage), ]
wages
