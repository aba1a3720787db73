library(dplyr)
library(DPpack)
epsilon_total <- 1
survey <- readr::read_csv("survey.csv", show_col_types = FALSE) |>
  mutate(age = pmin(pmax(age, 0), 100), sex = factor(sex, levels = c("f", "m")))
results <- tibble(
  statistic = c("mean", "median"),
  value = c(meanDP(survey$age, epsilon_total * 0.4, 0, 100), medianDP(survey$age, epsilon_total * 0.3, 0, 100))
)
sexes <- survey %>% pull(sex) %>% tableDP(eps = epsilon_total * 0.3)
results %>% mutate(value = round(value, 1)) %>% print()
readr::write_csv(results, "results.csv")
