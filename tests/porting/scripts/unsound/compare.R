library(DPpack)
x <- na.omit(read.csv("x.csv")$x)
true_mean <- mean(x)
private_mean <- meanDP(x, .5, 0, 10)  # finds: number-selected
results <- c(true = true_mean, private = private_mean)
print(results)  # finds: raw-value
knitr::kable(data.frame(true_mean, private_mean))  # finds: raw-value
