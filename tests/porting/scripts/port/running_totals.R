sales <- c(jan = 120, feb = 95, mar = 143, apr = 110)
cumsum(sales)
round(100 * sales / sum(sales), 1)
sales["mar"]
sales[c("jan", "apr")]
sales[sales > 100]
names(sales)
rev(sales)
which(sales > 115)
growth <- diff(sales) / sales[-length(sales)]
round(growth, 3)
for (m in names(sales)) cat(m, sales[m], "\n")
sales["may"] <- 130
sales
mean(sales)
