library(DPpack)
library(dplyr)
epsilon <- 1
d <- read.csv("d.csv") %>% mutate(logged = log(income + 1))
d %>% summarise(m = meanDP(logged, epsilon, 0, 15))
