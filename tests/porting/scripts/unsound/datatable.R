library(data.table)
library(DPpack)
dt <- fread("dt.csv")
dt[, z := x / max(x)]
meanDP(dt$z, 1, 0, 1)  # finds: records-changed
e <- fread("e.csv")
LaplaceMechanism(sum(e$v), 1, sensitivities = max(abs(e$v)))  # finds: argument-from-data
print(e[order(v)][1:5])  # finds: raw-value
