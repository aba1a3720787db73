library(DPpack)
library(dplyr)
d <- read.csv("d.csv") %>%
  filter(!is.na(sex), !is.na(job)) %>%
  mutate(sex = factor(sex, levels = c("f", "m")), job = factor(job, c("a", "b", "c")))
t <- tableDP(d$sex, d$job, eps = 1)
print(prop.table(t, 1), digits = 3)
