# Table 1 and primary endpoint of the blood pressure trial
library(DPpack)
options(digits = 5)

trial = read.csv("data/trial.csv")
trial$arm = factor(trial$arm, levels = c("placebo", "low", "high"))
trial$sex = factor(trial$sex)
trial$change = trial$sbp12 - trial$sbp0
n.arm = table(trial$arm)
print(n.arm)

# bounds from the protocol
bounds = list(age = c(30, 85), sbp0 = c(110, 200), change = c(-60, 40))
EPS = 0.8

clip = function(x, b) pmax(pmin(x, b[2]), b[1])

# ---- Table 1: baseline ----
set.seed(90)
baseline = data.frame(arm = character(0), variable = character(0), mean = numeric(0), sd = numeric(0))
for (a in levels(trial$arm)) {
  for (v in c("age", "sbp0")) {
    b = bounds[[v]]
    x = clip(trial[trial$arm == a, v], b)
    m = meanDP(x, EPS, b[1], b[2])
    s = sdDP(x, EPS, b[1], b[2])
    baseline = rbind(baseline, data.frame(arm = a, variable = v, mean = m, sd = s))
  }
}
print(baseline, digits = 4)

sex.by.arm = tableDP(trial$sex, trial$arm, eps = EPS)
sex.by.arm
round(100 * prop.table(sex.by.arm, margin = 2), 1)
apply(sex.by.arm, 2, sum)

# ---- adverse events ----
trial$any.ae = ifelse(trial$grade > 0, "yes", "no")
ae = table(trial$any.ae, trial$arm, dnn = c("AE", "arm"))
ae
addmargins(ae)
ae.dp = tableDP(trial$any.ae, trial$arm, eps = EPS, which.sensitivity = "unbounded")
ae.dp
risk = ae.dp["yes", ] / colSums(ae.dp)
risk
rr = risk[-1] / risk["placebo"]
round(rr, 3)
# odds ratio high against placebo, with half a person added to each cell
cell = ae.dp[, c("high", "placebo")] + 0.5
or = (cell["yes", "high"] * cell["no", "placebo"]) / (cell["no", "high"] * cell["yes", "placebo"])
ci = exp(log(or) + c(-1, 1) * qnorm(.975) * sqrt(sum(1 / cell)))
cat("odds ratio", format(or, digits = 3), "95% CI", format(ci, digits = 3), "\n")

worst = max(trial$grade)
grade.counts = sapply(0:worst, function(g) sum(trial$grade == g))
names(grade.counts) = paste0("grade", 0:worst)
grade.counts
grade.noisy = LaplaceMechanism(grade.counts, 1, rep(2, 4))
pmax(round(grade.noisy), 0)

# ---- primary endpoint: change in sbp ----
sum(is.na(trial$change))
done = subset(trial, !is.na(change))
tab = with(done, tapply(change, arm, function(x) c(n = length(x), mean = mean(x), sd = sd(x))))
do.call(rbind, tab)

fit = function(a) {
  x = clip(done$change[done$arm == a], bounds$change)
  list(n = length(x),
       mean = meanDP(x, EPS, -60, 40),
       var = varDP(x, EPS, -60, 40, mechanism = "Gaussian", delta = 1e-4))
}
set.seed(91)
res = lapply(levels(done$arm), fit)
names(res) = levels(done$arm)
str(res$high)
effect = sapply(res, function(r) r$mean) - res$placebo$mean
effect
pooled = pooledVarDP(done$change[done$arm == "placebo"], done$change[done$arm == "high"],
                     eps = EPS, lower.bound = -60, upper.bound = 40)
pooled
t.stat = effect[["high"]] / sqrt(pooled * (1 / res$placebo$n + 1 / res$high$n))
df = res$placebo$n + res$high$n - 2
p = 2 * pt(-abs(t.stat), df)
cat(sprintf("t(%d) = %.3f, p = %s\n", df, t.stat, ifelse(p < 0.001, "< 0.001", format(p, digits = 2))))

# not private: what the analysis without noise would say
tt = t.test(done$change[done$arm == "high"], done$change[done$arm == "placebo"], var.equal = TRUE)
tt$statistic
tt$conf.int
chisq.test(ae)$p.value
