# Attainment in five schools, with dplyr
library(dplyr, warn.conflicts = FALSE)
library(DPpack)

pupils <- read.csv("data/pupils.csv") %>%
  as_tibble() %>%
  mutate(gender = factor(gender), absent = pmin(absent, 30))
nrow(pupils)
names(pupils)

# complete cases
scored <- pupils %>%
  filter(!is.na(math)) %>%
  mutate(total = math + reading,
         level = case_when(
           total < 90 ~ "low",
           total < 140 ~ "middle",
           TRUE ~ "high"
         ))
scored %>% count(level)
scored %>%
  summarise(n = n(), r = cor(math, reading), math = mean(math), reading = mean(reading)) %>%
  as.data.frame()

# ---- by school ----
set.seed(12)
by_school <- scored %>%
  group_by(school) %>%
  summarise(
    n = n(),
    math_dp = meanDP(math, 1, 0, 100),
    reading_dp = meanDP(reading, 1, 0, 100),
    error = abs(math_dp - mean(math))
  ) %>%
  arrange(desc(reading_dp))
as.data.frame(by_school)
best <- by_school$school[1]
best

# private summaries by school and gender
set.seed(13)
cells <- scored %>%
  group_by(school, gender) %>%
  summarise(n = n(), mean_dp = meanDP(math, 0.8, 0, 100), sd_dp = sdDP(math, 0.8, 0, 100), .groups = "drop") %>%
  mutate(se = sqrt(sd_dp^2 / n + 2 * (100 / (n * 0.8))^2),
         lower = mean_dp - 1.96 * se,
         upper = mean_dp + 1.96 * se)
cells %>% select(school, gender, n, mean_dp, se) %>% as.data.frame() %>% print(digits = 4)

gap <- cells %>%
  group_by(school) %>%
  summarise(gap = mean_dp[gender == "girl"] - mean_dp[gender == "boy"])
as.data.frame(gap)
range(gap$gap)

# ---- absence ----
absence <- pupils %>%
  mutate(often = absent > 10) %>%
  group_by(grade) %>%
  summarise(pupils = n(), often = sum(often)) %>%
  ungroup()
set.seed(14)
absence <- absence %>%
  mutate(often_dp = LaplaceMechanism(often, 1, rep(1, 4)),
         rate = round(100 * often_dp / pupils, 1))
as.data.frame(absence)
pull(absence, rate)

# ---- top performers ----
top <- scored %>%
  arrange(desc(total), pupil) %>%
  head(10) %>%
  select(pupil, school, total)
top$total
n_distinct(top$school)

# join with the size of the schools
size <- data.frame(school = c("Abbey", "Brook", "Cedar", "Dale", "Elm"),
                   capacity = c(90, 80, 85, 70, 95))
joined <- by_school %>%
  left_join(size, by = "school") %>%
  transmute(school, occupancy = n / capacity, weighted = math_dp * n)
as.data.frame(joined)
sum(joined$weighted) / sum(by_school$n)

# ---- quantiles per grade ----
set.seed(15)
quart <- scored %>%
  group_by(grade) %>%
  summarise(q1 = quantileDP(math, 0.25, 1, 0, 100),
            q2 = quantileDP(math, 0.5, 1, 0, 100),
            q3 = quantileDP(math, 0.75, 1, 0, 100))
quart %>% mutate(iqr = q3 - q1) %>% as.data.frame()

# standardise within grades, then compare
z <- scored %>%
  group_by(grade) %>%
  mutate(z = (math - mean(math)) / sd(math)) %>%
  ungroup()
tapply(z$z, z$school, mean) %>% round(3)
with(z, cor(z, absent))
