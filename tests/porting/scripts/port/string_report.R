title <- "Annual report"
cat(title, "\n", sep = "")
cat(rep("-", nchar(title)), "\n", sep = "")
items <- c("persons", "households", "dwellings")
values <- c(8123456, 3912345, 4100000)
for (i in seq_along(items)) {
  cat(sprintf("%-12s %12s\n", items[i], format(values[i], big.mark = ",")))
}
ratio <- values[1] / values[2]
cat("persons per household:", formatC(ratio, digits = 2, format = "f"), "\n")
cat("\n")
cat(paste("source:", toupper("office")), "\n")
