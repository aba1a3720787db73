# What R's functions return and print besides numbers: one kind in each section.
library(DPpack)

# predictions of DPpack's models are a matrix of one column, with the names of the rows
set.seed(1)
X1 <- data.frame(a = runif(30), b = runif(30))
y1 <- as.numeric(X1$a > 0.5)
m1 <- LogisticRegressionDP$new("l2", 5, 1)
m1$fit(X1, y1, c(1, 1), c(0, 0))
u1 <- m1$predict(X1[c(3, 7), ])
u1
d1 <- data.frame(truth = y1[c(3, 7)], guess = m1$predict(X1[c(3, 7), ]))
d1
v1 <- m1$predict(X1, raw.value = TRUE)
table(v1 > 0.55, y1)
sqrt(mean((v1 - y1)^2))
X1[v1 < 0.53, "a"]
s1 <- svmDP$new("l2", 5, 1, kernel = "Gaussian", D = 5)
s1$fit(X1, y1)
s1$predict(X1[c(3, 7), ])
z1 <- as.matrix(X1[c(2, 5), 1:2])
mapXy.sigmoid(z1, c(1, 2))
regularizer.l2(c(1, 2)) + 1

# lists with R's names, also of a histogram
x2 <- c(1, 4, 3, 2, 3)
a2 <- meanDataAccess(x2, 0, 5)
a2
a2[["True.Values"]] + 1
histogramDataAccess(x2, "Sturges", "Laplace")
hist(x2, plot = FALSE)
set.seed(2)
histogramDP(c(0, x2), eps = 1, lower.bound = 0, upper.bound = 4)

# a test is printed with the text of its data
x3 <- c(1.1, 2.2, 3.5, 4.1)
y3 <- c(2, 1, 4, 3.3)
d3 <- data.frame(x3, y3, g = factor(c("a", "b", "a", "b")))
t.test(d3$x3[d3$g == "a"], mu = 2.5e5)
with(d3, t.test(x3, y3, paired = TRUE))
t3 <- cor.test(x3, d3[["y3"]])
t3
t3$data.name
prop.test(15, 25)
prop.test(c(15, 25), c(50, 50), correct = FALSE)
binom.test(x = 7, n = 10 + 10, p = 0.3)
chisq.test(c(10, 20, 30), p = c(.2, .3, .5))
ks.test(x3, "pnorm", 2, 1)
shapiro.test(x3)

# vectors with attributes: arithmetic keeps them, parts have none
v4 <- c(1.5, NA, 3, NA)
u4 <- na.omit(v4)
u4
u4 * 2
u4[1]
t.test(x3)$conf.int * 2
d4 <- data.frame(x = c(1, 2, 3, 5), y = c(2.1, 3.9, 6.2, 9.1))
l4 <- logLik(lm(y ~ x, data = d4))
l4
as.numeric(l4)

# names of released vectors, of lists by groups, and of a table's dimensions
n5 <- c(low = 10, high = 20)
r5 <- LaplaceMechanism(n5, 1, c(2, 2))
pmax(round(r5), 0)
g5 <- tapply(x3, c("b", "a", "b", "a"), function(v) c(n = length(v), mean = mean(v)))
g5
do.call(rbind, g5)
f5 <- factor(c("a", "b", "a", "b"))
tableDP(f5, d3$g[1:4], eps = 2)
ExponentialMechanism(c(0, 1, 2), 1, 5, measure = c(1, 1, 2), candidates = c("a", "b", "c"))

# what print shows is its value
print(mean(x3)) == 2.725
h6 <- sapply(1:2, function(i) print(i))
