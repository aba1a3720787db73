# ages of a panel by sex
age <- c(23, 45, 31, 67, 52, 38, 29, 74, 41, 60)
sex <- factor(c("f", "m", "f", "f", "m", "m", "f", "m", "f", "m"))
group <- cut(age, breaks = c(0, 30, 50, 100), labels = c("young", "middle", "old"))
counts <- table(group, sex)
counts
prop <- round(100 * prop.table(counts, margin = 2), 1)
prop
means <- tapply(age, sex, mean)
means
cat("Women:", sum(sex == "f"), "\n")
cat("Mean age of men:", format(means["m"], nsmall = 2), "\n")
for (g in levels(group)) {
  cat(sprintf("%-8s %3d persons\n", g, sum(group == g)))
}
