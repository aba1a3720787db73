library(dplyr)
library(DPpack)
survey <- read_csv("survey.csv")
top <- survey %>% summarise(m = max(income)) %>% pull(m)
survey %>% summarise(across(c(age, income), ~ meanDP(.x, 0.5, 0, 100)))  # finds: repeated
other <- read_csv("other.csv")
limits <- other %>% summarise(lo = min(x), hi = max(x))
r <- other %>% pull(x) %>% medianDP(1, limits$lo, limits$hi)  # finds: argument-from-data
third <- read_csv("third.csv")
third %>% mutate(z = (x - mean(x)) / sd(x)) %>% pull(z) %>% meanDP(1, -3, 3)  # finds: records-changed
third %>% count(region)  # finds: raw-value
