# dplyr's groups: a summary leaves the last one, and what follows is computed in those that remain.
library(dplyr)
visits <- data.frame(site = c("a", "a", "b", "b", "b"), kind = c("x", "y", "x", "x", "y"), v = c(1, 2, 3, 4, 5))
shares <- visits %>% group_by(site, kind) %>% summarise(n = n()) %>% mutate(share = n / sum(n))
a1 <- shares$share
counts <- visits %>% group_by(site, kind) %>% summarise(n = n())
later <- counts %>% mutate(share = n / sum(n))
a2 <- later$share
most <- counts %>% filter(n == max(n))
a3 <- most$n
none <- visits %>% group_by(site, kind) %>% summarise(n = n(), .groups = "drop") %>% mutate(share = n / sum(n))
a4 <- none$share
kept <- visits %>% group_by(site, kind) %>% summarise(n = n(), .groups = "keep") %>% mutate(share = n / sum(n))
a5 <- kept$share
by_site <- visits %>% group_by(site)
sums <- by_site %>% mutate(q = cumsum(v))
a6 <- sums$q
top <- by_site %>% filter(v == max(v))
a7 <- top$v
a8 <- nrow(by_site)
all_ <- by_site %>% ungroup() %>% mutate(share = v / sum(v))
a9 <- all_$share
sorted <- by_site %>% arrange(desc(v)) %>% mutate(first = v[1])
a10 <- sorted$first
weighted <- visits %>% count(site, wt = v, sort = TRUE)
a11 <- weighted$n
firsts <- visits %>% distinct(site, .keep_all = TRUE)
a12 <- firsts$v
a13 <- if_else(false = 0, condition = visits$v > 2, true = 1)
lagged <- lag(visits$v)
b1 <- sum(visits$v)
b2 <- nrow(visits)
b3 <- pull(visits, v)
