library(DPpack)
towns <- read.csv("towns.csv")
print(head(towns))
people <- read.csv("people.csv")
f <- function() {
  m <- meanDP(people$income, 1, 0, 1e5)
  cat(m, "\n")
  invisible(people)
}
f()
if (towns$name[1] == "a") message("one")
