d <- read.csv("cases.csv")
total.eps <- 1
share <- total.eps / 3
country <- sum(d$ill) + rmutil::rlaplace(1, 0, 1 / share)
state <- table(d$state) + rmutil::rlaplace(50, 0, 1 / share)
county <- table(d$county) + rmutil::rlaplace(3000, 0, 3 / total.eps)
print(county)
