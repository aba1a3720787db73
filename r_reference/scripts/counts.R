# Travel to work: histograms and cross tables, private beside exact
library(DPpack)

trips <- read.csv('data/trips.csv', stringsAsFactors = TRUE)
levels(trips$mode)
nlevels(trips$district)
trips$season <- relevel(trips$season, ref = 'winter')

#### one-way tables ####
exact <- table(trips$mode)
exact
set.seed(2718)
private <- tableDP(trips$mode, eps = 0.5)
private
rbind(exact, private)
rev(sort(exact))
prop.table(exact)
err <- as.vector(private) - as.vector(exact)
err
sum(abs(err)) / sum(exact)
mean(err ^ 2) |> sqrt()

#### repeat many times: what error is to be expected? ####
errors <- replicate(100, mean(abs(tableDP(trips$mode, eps = 0.5) - exact)))
summary(errors)
mean(errors > 4)

#### two-way table ####
tab <- table(trips$mode, trips$district)
dim(tab)
tab['car', 'Hill']
dp2 <- tableDP(trips$mode, trips$district, eps = 0.9, mechanism = 'Gaussian', delta = 1e-5)
dp2
dp2 - tab
rowSums(dp2)
colSums(dp2)
sum(dp2) == nrow(trips)
round(prop.table(dp2, 2) * 100)
apply(dp2, 2, which.max)
rownames(dp2)[apply(dp2, 2, which.max)]

# chi-squared statistic of independence, from the private counts
chi2 <- function(o) {
  e <- outer(rowSums(o), colSums(o)) / sum(o)
  sum((o - e)^2 / e)
}
stat <- chi2(dp2)
dof <- (nrow(dp2) - 1) * (ncol(dp2) - 1)
c(stat = stat, df = dof, p = pchisq(stat, dof, lower.tail = FALSE))
chi2(tab)
chisq.test(tab)$statistic

#### three ways ####
three <- table(trips$mode, trips$season, trips$district)
dim(three)
three[, , 'Hill']
apply(three, c(1, 2), sum)
margin.table(three, 3)

#### histograms ####
minutes <- pmin(trips$minutes, 120)
h <- hist(minutes, breaks = seq(0, 120, 10), plot = FALSE)
h$counts
set.seed(3141)
hp <- histogramDP(minutes, 1, 0, 120, breaks = seq(0, 120, 10))
hp$counts
hp$breaks
cdf <- cumsum(hp$counts) / sum(hp$counts)
round(cdf, 3)
# median class
med.class <- which(cdf >= 0.5)[1]
lower <- hp$breaks[med.class]
w <- diff(hp$breaks)[med.class]
before <- if (med.class > 1) cdf[med.class - 1] else 0
med <- lower + w * (0.5 - before) / (cdf[med.class] - before)
c(from.histogram = med, exact = median(minutes))

hd <- histogramDP(log(trips$km + 0.1), 1, -3, 5, breaks = 8, normalize = TRUE, allow.negative = FALSE)
hd$counts
sum(hd$counts * diff(hd$breaks))
hd$mids[which.max(hd$counts)]

#### satisfaction: missing answers are a category ####
table(trips$satisfied, useNA = 'ifany')
answered <- !is.na(trips$satisfied)
sat <- factor(trips$satisfied[answered], levels = 1:5, labels = c('very bad', 'bad', 'fair', 'good', 'very good'))
ts <- tableDP(sat, trips$mode[answered], eps = 1, which.sensitivity = 'unbounded')
score <- colSums(ts * 1:5) / colSums(ts)
sort(score, decreasing = TRUE)
barplot.text <- function(x, width = 30) {
  for (nm in names(x)) {
    bar <- paste(rep('#', round(x[[nm]] / max(x) * width)), collapse = '')
    cat(sprintf('%-6s|%s %.2f\n', nm, bar, x[[nm]]))
  }
  invisible(x)
}
barplot.text(score)
