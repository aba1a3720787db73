library(DPpack)
set.seed(42)

# incomes in thousands
income <- rgamma(500, shape = 2, rate = 0.05)
region <- sample(c("north", "south"), 500, replace = TRUE)
eps <- 0.5  # for each region

released <- numeric(0)
for (r in c("north", "south")) {
  released[r] <- meanDP(income[region == r], eps, 0, 200)
}
released
cat("difference:", released["north"] - released["south"], "\n")
