days <- c(31, 28, 31, 30)
names(days) <- c("Jan", "Feb", "Mar", "Apr")
start <- 0
for (m in names(days)) {
  cat(formatC(m, width = 5), ": days", start + 1, "to", start + days[m], "\n")
  start <- start + days[m]
}
start
leap <- function(y) (y %% 4 == 0 & y %% 100 != 0) | y %% 400 == 0
years <- c(1900, 2000, 2023, 2024)
leap(years)
years[leap(years)]
ifelse(leap(years), 366, 365)
cumsum(days)
sum(days)
unname(days["Feb"] + 1)
