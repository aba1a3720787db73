library(dplyr)
sales <- data.frame(shop = c("A", "B", "A", "C", "B", "A"), amount = c(120, 80, 60, 200, 95, 150), online = c(TRUE, FALSE, FALSE, TRUE, TRUE, FALSE))
by_shop <- sales %>% group_by(shop) %>% summarise(n = n(), total = sum(amount))
as.data.frame(by_shop)
big <- sales %>% filter(amount > 90) %>% arrange(desc(amount))
big
sales <- sales %>% mutate(tax = amount * 0.19, gross = amount + tax)
round(sales$gross, 2)
sum(sales$online)
top <- by_shop$shop[by_shop$total == max(by_shop$total)]
cat("top shop:", top, "\n")
