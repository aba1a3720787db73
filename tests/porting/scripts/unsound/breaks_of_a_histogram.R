library(DPpack)
d <- read.csv("d.csv")
histogramDP(d$x, 1, 0, 100, breaks = hist(d$x)$breaks)  # finds: argument-from-data raw-plot
e <- read.csv("e.csv")
b <- boxplot(e$x, plot = FALSE)
medianDP(e$x, 1, b$stats[1], b$stats[5])  # finds: argument-from-data
