points <- c(anna = 81, ben = 47, cleo = 65, dan = 92, eva = 58)
grade <- function(p, limits = c(50, 65, 80)) {
  if (p >= limits[3]) {
    "A"
  } else if (p >= limits[2]) {
    "B"
  } else if (p >= limits[1]) {
    "C"
  } else {
    "F"
  }
}
grades <- sapply(points, grade)
grades
table(grades)
best <- names(points)[which.max(points)]
cat("Best:", best, "with", max(points), "points\n")
passed <- points[points >= 50]
length(passed)
sort(passed, decreasing = TRUE)
round(mean(passed), 2)
set.seed(2)
private <- DPpack::meanDP(as.numeric(points), 1, 0, 100)
round(private, 2)
