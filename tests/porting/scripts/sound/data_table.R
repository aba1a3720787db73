library(data.table)
library(DPpack)
dt <- fread("dt.csv")
dt[, age := pmin(age, 100)]
total_eps <- 1
res <- data.table(name = c("age", "income"),
                  value = c(meanDP(dt$age, total_eps / 2, 0, 100), meanDP(dt[["income"]], total_eps / 2, 0, 1e5)))
fwrite(res, "res.csv")
res[]
