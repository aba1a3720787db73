library(DPpack)
d <- readr::read_csv("d.csv")
columns <- c("age", "weight", "height")
budget <- 0.9
eps <- budget / length(columns)
result <- numeric(length(columns))
for (i in seq_along(columns)) {
  result[i] <- 0
}
for (column in c("age", "weight", "height")) {
  result[[column]] <- meanDP(d[[column]], eps, 0, 250)
}
print(result)
