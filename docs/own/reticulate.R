library(reticulate)
dp <- import("pydpstat")

# One number
age <- c(43, 15, 50, 51, 16, 40, 14, 49, 69, 17)
released <- dp$mean(age, 1, bounds = c(0, 100))
as.numeric(released)
summary(released)

# The number of DPpack after set.seed(123)
mirror <- dp$meanDP(age, 1, 0, 100, rng = dp$RRandom(123))
as.numeric(mirror)

# A data frame
people <- data.frame(
  income = 20000 + 100 * (0:999 %% 400) + 5000 * (0:999 %% 5 > 1),
  age = 18 + 0:999 %% 70,
  region = factor(c("north", "south", "west")[1 + 0:999 %% 3]),
  employed = 0:999 %% 5 > 1
)
budget <- dp$Budget(6)
study <- dp$design(
  people,
  bounds = list(income = c(0, 100000), age = c(0, 110)),
  levels = list(region = levels(people$region), employed = c(FALSE, TRUE)),
  neighbors = "bounded",
  budget = budget,
  rng = 123
)
means <- study$mean("income", 0.5, by = "region")
as.data.frame(means)
coef(means)
confint(means, level = 0.9)

# Tables and tests
counts <- study$crosstab(c("region", "employed"), 0.5)
as.data.frame(counts)
welch <- study$ttest_ind("income ~ employed", 1)
welch$pvalue

# A regression
model <- study$ols("income ~ age + C(region)", 4)
summary(model)
coef(model)
confint(model)

# What was spent
as.data.frame(budget)
summary(budget)

# Vectors
shares <- dp$proportion(people$employed, 0.5, rng = 123)
by_region <- dp$mean(
  people$income, 0.5, bounds = c(0, 100000),
  by = people$region, levels = levels(people$region), rng = 123
)
deciles <- dp$quantiles(people$age, c(0.1, 0.5, 0.9), 1, bounds = c(0, 110), rng = 123)
as.data.frame(deciles)

# Missing values
with_none <- function(x) lapply(x, function(each) if (is.na(each)) NULL else each)
asked <- c(TRUE, NA, FALSE, TRUE)
answered <- dp$proportion(with_none(asked), 0.5, missing = FALSE, rng = 123)

# A test of R's own, on blocks of the records
signed <- dp$any_test(
  as.list(people$income), function(block) wilcox.test(unlist(block), mu = 35000, exact = FALSE)$p.value,
  1, blocks = 20, rng = 123
)
signed$pvalue
