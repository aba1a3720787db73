library(dplyr)
d <- data.frame(region = c("N", "S", "N", "E", "S", "E"), year = c(2020L, 2020L, 2021L, 2020L, 2021L, 2021L), births = c(310L, 280L, 295L, 150L, 301L, 160L))
d %>% count(region)
d %>%
  group_by(year) %>%
  summarise(total = sum(births), regions = n_distinct(region)) %>%
  as.data.frame()
d %>% filter(births > 200) %>% select(region, births)
d2 <- d %>% mutate(share = round(births / sum(births), 3))
d2$share
d2 %>% arrange(region, desc(year)) %>% head(2)
d %>% pull(births) %>% mean()
