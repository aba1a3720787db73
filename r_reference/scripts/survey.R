# ------------------------------------------------------------------
# Trust survey 2023: means, shares and confidence intervals by region
# All published figures are differentially private (DPpack)
# ------------------------------------------------------------------
library(DPpack)

set.seed(4711)

survey <- read.csv("data/survey.csv", stringsAsFactors = FALSE)
str(survey$region)
dim(survey)
summary(survey$age)

# public bounds, fixed before the data were seen
income.max <- 12000
age.range <- c(18, 95)
eps.total <- 3

colSums(is.na(survey))

# income is top coded, missing values are dropped
survey$income <- pmin(survey$income, income.max)
complete <- survey[!is.na(survey$income) & !is.na(survey$trust), ]
nrow(complete)
n.dropped <- nrow(survey) - nrow(complete)
cat("dropped", n.dropped, "of", nrow(survey), "persons\n")

complete$region <- factor(complete$region, levels = c("North", "East", "South", "West"))
table(complete$region)

## --- 1. overall ----------------------------------------------------

eps <- eps.total / 6
overall <- c(
  age = meanDP(complete$age, eps, age.range[1], age.range[2]),
  income = meanDP(complete$income, eps, 0, income.max),
  trust = meanDP(complete$trust, eps, 0, 10)
)
round(overall, 2)

sd.income <- sdDP(complete$income, eps, 0, income.max)
sd.income

## --- 2. by region --------------------------------------------------

# mean with an interval that counts sampling and noise
dp.mean.ci <- function(x, eps, lower, upper, level = 0.95) {
  n <- length(x)
  m <- meanDP(x, eps / 2, lower, upper)
  v <- varDP(x, eps / 2, lower, upper)
  v <- max(v, 0)
  noise <- 2 * ((upper - lower) / (n * eps / 2))^2
  se <- sqrt(v / n + noise)
  z <- qnorm(1 - (1 - level) / 2)
  c(n = n, mean = m, se = se, lower = m - z * se, upper = m + z * se)
}

by.region <- sapply(split(complete$income, complete$region), dp.mean.ci,
                    eps = eps, lower = 0, upper = income.max)
round(t(by.region), 1)

trust.by.region <- t(sapply(split(complete$trust, complete$region), dp.mean.ci, eps, 0, 10, level = 0.9))
trust.by.region

# for comparison (internal only, never publish)
tapply(complete$income, complete$region, mean)
tapply(complete$trust, complete$region, median)
aggregate(trust ~ sex + employed, data = complete, FUN = mean)

## --- 3. shares -----------------------------------------------------

share <- function(x, eps) {
  p <- meanDP(as.numeric(x), eps, 0, 1)
  if (p < 0) p <- 0
  if (p > 1) p <- 1
  p
}

employed <- complete$employed == "yes"
share(employed, 0.5)
share(complete$sex == "f", 0.5)

shares <- numeric(0)
for (r in levels(complete$region)) {
  in.r <- complete$region == r
  shares[r] <- share(complete$trust[in.r] >= 7, eps = 0.4)
}
print(round(100 * shares, 1))
names(which.max(shares))

# age groups
complete$age.group <- cut(complete$age, breaks = c(17, 34, 49, 64, 95),
                          labels = c("18-34", "35-49", "50-64", "65+"))
counts <- table(complete$age.group, complete$sex)
counts
prop.table(counts, 1)
dp.counts <- tableDP(complete$age.group, complete$sex, eps = 1)
dp.counts
max(abs(dp.counts - counts))

## --- 4. difference of two groups -----------------------------------
north <- complete$trust[complete$region == "North"]
rest <- complete$trust[complete$region != "North"]
d <- meanDP(north, 1, 0, 10) - meanDP(rest, 1, 0, 10)
se.d <- sqrt(var(north) / length(north) + var(rest) / length(rest))
sprintf("difference North - rest: %.3f (z = %.2f)", d, d / se.d)
p.value <- 2 * pnorm(-abs(d / se.d))
p.value
