# The report of study_design.py in R, without privacy: survey has designs, and no budget.
library(survey)

frame <- read.csv("interviews.csv")
frame$employed <- frame$employed == "True"
once <- frame[!duplicated(frame$person), ]
people <- svydesign(ids = ~person, weights = ~1, data = once)
weighted <- svydesign(ids = ~person, weights = ~w, data = once)

counts <- svytable(~ region + sex, people)
means <- svyby(~income, ~ region + sex, people, svymean, vartype = "ci")
medians <- svyby(~income, ~sex, people, svyquantile, quantiles = 0.5, ci = TRUE)
incomes <- table(cut(once$income, seq(0, 200000, 10000), right = FALSE))
both <- svytable(~ region + employed, people)
shares <- svyby(~employed, ~region, people, svymean, vartype = "ci")
sexes <- svyttest(income ~ sex, people)
regions <- regTermTest(svyglm(income ~ region, people), ~region)
mean_income <- svymean(~income, weighted)
wages <- svyglm(income ~ age + sex + region, people)
work <- svyglm(employed ~ age + sex + region, people, family = quasibinomial())
dependent <- svychisq(~ region + employed, people)
