library(tidyverse)
library(DPpack)
d <- read_csv("d.csv")
d |> split(d$region) |> map_dbl(\(g) meanDP(g$income, 1, 0, max(g$income)))  # finds: argument-from-data levels-from-data
