# Income report: quantiles, deciles and inequality of household incomes
suppressPackageStartupMessages(library(DPpack))

hh <- read.csv("data/households.csv")
head(hh, 4)
unique(hh$type)
range(hh$income)

# equivalised income, bounded at 150 000
scale.oecd <- function(size) 1 + 0.5 * (size - 1)
hh$eq <- hh$income / scale.oecd(hh$size)
top <- 150000
hh$eq[hh$eq > top] <- top
summary(hh$eq)

# ---------------------------------------------------------------
# Quantiles
# ---------------------------------------------------------------
set.seed(2022)
probs <- c(0.1, 0.25, 0.5, 0.75, 0.9)
true <- quantile(hh$eq, probs)
true
private <- sapply(probs, function(p) quantileDP(hh$eq, p, 0.5, 0, top))
names(private) <- names(true)
private
cbind(true, private, error = private - true)
ratio <- private["90%"] / private["10%"]
cat("P90/P10:", round(ratio, 2), "\n")

# The median by household type, in a data frame that grows
types <- sort(unique(hh$type))
med <- NULL
for (ty in types) {
  x <- hh$eq[hh$type == ty]
  med <- rbind(med, c(length(x), median(x), medianDP(x, eps = 1, lower.bound = 0, upper.bound = top)))
}
dimnames(med) <- list(types, c("n", "median", "dp"))
med
med[order(med[, "dp"], decreasing = TRUE), ]
med["single", "dp"] < med["couple", "dp"]

# ---------------------------------------------------------------
# Poverty: below 60 percent of the (private) median
# ---------------------------------------------------------------
line <- 0.6 * private[["50%"]]
poor <- hh$eq < line
rate <- meanDP(as.numeric(poor), 1, 0, 1)
cat(sprintf("Poverty line %.0f, rate %.1f%% (without noise %.1f%%)\n", line, 100 * rate, 100 * mean(poor)))
by.year <- tapply(poor, hh$year, sum)
by.year
noisy <- by.year + LaplaceMechanism(rep(0, length(by.year)), 1, rep(1, length(by.year)))
noisy

# ---------------------------------------------------------------
# Gini from a private histogram
# ---------------------------------------------------------------
breaks <- seq(0, top, by = 10000)
h <- histogramDP(hh$eq, 1, 0, top, breaks = breaks)
h$counts
h$mids

gini <- function(mids, counts) {
  p <- counts / sum(counts)
  cum.p <- c(0, cumsum(p))
  cum.i <- c(0, cumsum(p * mids) / sum(p * mids))
  k <- length(cum.p)
  1 - sum((cum.p[-1] - cum.p[-k]) * (cum.i[-1] + cum.i[-k]))
}
g <- gini(h$mids, h$counts)
gini.exact <- gini(h$mids, hist(hh$eq, breaks = breaks, plot = FALSE)$counts)
round(c(private = g, exact = gini.exact), 4)

# Lorenz curve at the deciles of the population
lorenz <- approx(c(0, cumsum(h$counts)) / sum(h$counts), c(0, cumsum(h$counts * h$mids)) / sum(h$counts * h$mids),
                 xout = seq(0, 1, 0.1), ties = mean)$y
round(lorenz, 3)

# ---------------------------------------------------------------
# Rent burden; rent is missing for some
# ---------------------------------------------------------------
mean(is.na(hh$rent))
burden <- with(hh, 12 * rent / income)
mean(burden, na.rm = TRUE)
burden <- burden[!is.na(burden)]
classes <- cut(burden, c(0, .2, .3, .4, 1), right = FALSE)
table(classes)
b <- tableDP(classes, eps = 1)
for (i in seq_along(b)) {
  cat(formatC(names(b)[i], width = 12), formatC(b[i], width = 5), "\n")
}
overburdened <- sum(b[3:4]) / sum(b)
overburdened

# does the burden depend on income? (rank correlation, not private)
ok <- !is.na(hh$rent)
cor(hh$income[ok], hh$rent[ok])
cor(hh$income[ok], hh$rent[ok], method = "spearman")
covDP(hh$income[ok], hh$rent[ok], 1, 0, 200000, 0, 3000)
