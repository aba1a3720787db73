library(DPpack)
set.seed(11)
waiting <- c(3, 8, 12, 15, 7, 9, 22, 31, 5, 14, 18, 27, 11, 6, 16)
edges <- c(0, 10, 20, 30, 40)
h <- histogramDP(waiting, 1, 0, 40, breaks = edges)
h$counts
h$mids
share <- round(h$counts / sum(h$counts), 3)
share
for (i in seq_along(h$counts)) {
  cat(sprintf("%2d to %2d min: %d\n", edges[i], edges[i + 1], h$counts[i]))
}
cat("most frequent:", h$mids[which.max(h$counts)], "\n")
