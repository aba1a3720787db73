days <- c("2023-01-15", "2023-02-20", "2023-02-28", "2023-03-01")
month <- substr(days, 6, 7)
table(month)
year <- as.integer(substr(days, 1, 4))
unique(year)
parts <- strsplit(days, "-")
day <- sapply(parts, function(p) as.integer(p[3]))
day
label <- paste(day, month, year, sep = ".")
label
grepl("-02-", days)
sub("2023", "23", days[1])
sprintf("%02d/%s", day, month)
