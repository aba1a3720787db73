library(DPpack)
data(iris)
x <- iris$Sepal.Length
meanDP(x, 0.5, 4, 8)
