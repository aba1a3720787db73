library(dplyr)
d <- tibble(school = c("a", "a", "b", "b", "b", "c"), score = c(71, 65, 88, 90, 79, 54))
res <- d %>%
  group_by(school) %>%
  summarise(n = n(), mean = mean(score), best = max(score), .groups = "drop") %>%
  filter(n > 1) %>%
  arrange(desc(mean))
as.data.frame(res)
d %>% mutate(above = score > mean(score)) %>% pull(above)
nrow(distinct(d, school))
d %>% summarise(sd = round(sd(score), 2)) %>% as.data.frame()
left <- left_join(as.data.frame(res), data.frame(school = c("a", "b"), city = c("X", "Y")), by = "school")
left
