#!/usr/bin/env Rscript
suppressMessages(library(DPpack))
args <- commandArgs(trailingOnly = TRUE)
total_epsilon <- 1
weights <- c(mean = 0.5, table = 0.3, quartile = 0.2)
people <- read.csv(args[1], stringsAsFactors = FALSE)
sex <- factor(people$sex, levels = c("f", "m"))
m <- meanDP(people$income, total_epsilon * 0.5, 0, 2e5)
t <- tableDP(sex, eps = total_epsilon * 0.3)
q <- quantileDP(people$income, 0.25, total_epsilon * 0.2, 0, 2e5)
report <- data.frame(statistic = c("mean", "quartile"), value = c(m, q))
write.csv(report, "report.csv", row.names = FALSE)
for (k in seq_len(nrow(report))) cat(sprintf("%s: %.1f\n", report$statistic[k], report$value[k]))
plot(t)
