library(DPpack)
library(dplyr)
d <- readr::read_csv("d.csv")
r <- medianDP(d$income, 1, 0, 1e5)
d %>% group_by(region) %>% summarise(m = mean(income))  # finds: raw-value
d |> head(3) |> print()  # finds: raw-value
hist(d$income)  # finds: raw-plot
boxplot(income ~ region, data = d)  # finds: raw-plot
saveRDS(list(private = r, raw = mean(d$income)), "r.rds")  # finds: raw-value
save.image()  # finds: raw-value
