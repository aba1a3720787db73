library(dplyr)
library(DPpack)
budget <- 0.6
d <- read.csv("d.csv")
d %>% summarise(across(c(a, b, c), ~ meanDP(.x, budget / 3, 0, 1)))
purrr::map_dbl(c("u", "v"), ~ .x |> nchar())
