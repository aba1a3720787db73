# Noise at the three levels of a hierarchy.
d <- read.csv("cases.csv")
rlap <- function(n, s) { u <- runif(n) - 0.5; -s * sign(u) * log(1 - 2 * abs(u)) }
country <- sum(d$cases) + rmutil::rlaplace(1, 0, 10)
state <- tapply(d$cases, d$state, sum) + rmutil::rlaplace(50, 0, 5)
county <- tapply(d$cases, d$county, sum) + rmutil::rlaplace(3000, 0, 2)  # finds: finding-13
write.csv(county, "county.csv")
other <- read.csv("sales.csv")
by_shop <- aggregate(amount ~ shop, data = other, FUN = sum)
shop <- by_shop$amount + rlap(nrow(by_shop), 100)
town <- xtabs(amount ~ town, other) + rlap(20, 100)  # finds: finding-13
print(shop); print(town)
