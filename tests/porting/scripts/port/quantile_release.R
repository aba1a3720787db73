library(DPpack)
set.seed(40)
rent <- c(420, 510, 605, 730, 480, 915, 660, 540, 820, 700, 590, 635)
probs <- c(0.25, 0.5, 0.75)
eps <- 1.5 / length(probs)
q <- numeric(length(probs))
for (i in seq_along(probs)) {
  q[i] <- quantileDP(rent, probs[i], eps, 300, 1200)
}
names(q) <- paste0(100 * probs, "%")
round(q, 1)
iqr <- q[["75%"]] - q[["25%"]]
cat("IQR:", round(iqr, 1), "\n")
diff(round(unname(q), 1))
