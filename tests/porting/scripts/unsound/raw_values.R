library(DPpack)
d <- read.csv("d.csv")
r <- meanDP(d$age, 1, 0, 100)
print(mean(d$age))  # finds: raw-value
cat("true:", mean(d$age), "private:", r, "\n")  # finds: raw-value
summary(lm(income ~ age, data = d))  # finds: raw-value
write.csv(d, "out.csv")  # finds: raw-value
head(d)  # finds: raw-value
error <- abs(r - mean(d$age))
message("error ", error)  # finds: raw-value
if (nrow(d) > 10) table(d$sex)  # finds: raw-value
