# Prices of flats: lm() beside differentially private linear regression
library(DPpack)

flats <- read.csv("data/flats.csv")
flats <- na.omit(flats)
cat(nrow(flats), "flats\n")
sapply(flats, range)

# ---- ordinary least squares ----
m1 <- lm(price ~ area + rooms + built + centre, data = flats)
coef(m1)
s1 <- summary(m1)
s1$r.squared
round(s1$coefficients, 4)
confint(m1)
m2 <- lm(price ~ area + centre, data = flats)
anova(m2, m1)$F[2]
AIC(m1) - AIC(m2)
res <- residuals(m1)
quantile(res)
shapiro <- c(mean(res^3) / mean(res^2)^1.5, mean(res^4) / mean(res^2)^2)
names(shapiro) <- c("skewness", "kurtosis")
shapiro

# ---- differentially private ----
# bounds: 20..180 sqm, 1..8 rooms, 1900..2025, 0..30 km, 0..900 thousand
lower <- c(area = 20, rooms = 1, built = 1900, centre = 0)
upper <- c(area = 180, rooms = 8, built = 2025, centre = 30)
X <- flats[, names(lower)]
for (v in names(lower)) {
  X[[v]] <- pmin(pmax(X[[v]], lower[v]), upper[v])
}
# scaled to -1 .. 1
Z <- sweep(X, 2, (upper + lower) / 2)
Z <- sweep(Z, 2, (upper - lower) / 2, "/")
summary(Z$area)
y <- flats$price / 900 * 2 - 1

ub <- c(rep(1, 4), 1)
lb <- -ub
set.seed(55)
dp <- LinearRegressionDP$new("l2", eps = 5, delta = 0, gamma = 1)
dp$fit(Z, y, upper.bounds = ub, lower.bounds = lb, add.bias = TRUE)
dp$coeff
y.hat <- dp$predict(Z, add.bias = TRUE)
price.hat <- (as.numeric(y.hat) + 1) / 2 * 900
rmse <- function(e) sqrt(mean(e^2))
c(lm = rmse(res), dp = rmse(flats$price - price.hat))

# coefficients back on the scale of the data
b <- dp$coeff[-1] * 900 / 2 / ((upper - lower) / 2)
round(rbind(lm = coef(m1)[-1], dp = b), 3)

# ---- many runs ----
set.seed(56)
runs <- t(replicate(8, {
  m <- LinearRegressionDP$new("l2", 20, 1e-5, 1)
  m$fit(Z, y, ub, lb, add.bias = TRUE)
  as.numeric(m$coeff)
}))
colnames(runs) <- c("const", names(lower))
round(runs, 3)
colMeans(runs)
apply(runs, 2, sd)

# ---- sufficient statistics by hand ----
# noisy moments, then the normal equations
XtX <- crossprod(cbind(1, as.matrix(Z)))
Xty <- crossprod(cbind(1, as.matrix(Z)), y)
solve(XtX, Xty)
eps <- 10
p <- ncol(XtX)
set.seed(57)
noise <- matrix(0, p, p)
noise[upper.tri(noise, diag = TRUE)] <- LaplaceMechanism(rep(0, p * (p + 1) / 2), eps / 2, rep(2, p * (p + 1) / 2))
noise <- noise + t(noise) - diag(diag(noise))
isSymmetric(noise)
A <- XtX + noise + 30 * diag(p)
v <- Xty + LaplaceMechanism(rep(0, p), eps / 2, rep(2, p))
beta <- drop(solve(A, v))
names(beta) <- c("const", names(lower))
beta
det(A) > 0
new.flat <- c(1, 0, -0.2, 0.4, -0.5)
sum(beta * new.flat)

# ---- one predictor, from private moments ----
sl <- covDP(Z$area, y, 1, -1, 1, -1, 1) / varDP(Z$area, 1, -1, 1)
ic <- meanDP(y, 1, -1, 1) - sl * meanDP(Z$area, 1, -1, 1)
c(intercept = ic, slope = sl)
cor.test(Z$area, y)$estimate
