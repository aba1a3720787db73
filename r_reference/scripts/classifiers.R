# Credit default: private logistic regression and SVM
library(DPpack)
credit <- read.csv("data/credit.csv")
mean(credit$default)
cor(credit)[, "default"]

# -- prepare: training and test set, features scaled by public constants --
set.seed(31)
n <- nrow(credit)
test <- sample(n, 80)
X <- data.frame(
  age = (credit$age - 45) / 25,
  salary = (credit$salary - 40) / 40,
  debt = 2 * credit$debt - 1,
  late = pmin(credit$late, 4) / 2 - 1
)
X[X > 1] <- 1
X[X < -1] <- -1
y <- credit$default
X.train <- X[-test, ]; X.test <- X[test, ]
y.train <- y[-test];   y.test <- y[test]
c(train = nrow(X.train), test = nrow(X.test))
upper <- rep(1, ncol(X))
lower <- rep(-1, ncol(X))

# -- accuracy and the rest of the confusion matrix --
confusion <- function(truth, guess) {
  tp <- sum(truth == 1 & guess == 1)
  tn <- sum(truth == 0 & guess == 0)
  fp <- sum(truth == 0 & guess == 1)
  fn <- sum(truth == 1 & guess == 0)
  c(accuracy = (tp + tn) / length(truth), sensitivity = tp / (tp + fn), specificity = tn / (tn + fp))
}

# -- benchmark without privacy --
full <- glm(y.train ~ ., data = X.train, family = binomial)
round(coef(full), 4)
p.full <- predict(full, X.test, type = "response")
confusion(y.test, as.numeric(p.full > 0.5))
deviance(full)

# -- private logistic regression --
set.seed(32)
lrdp <- LogisticRegressionDP$new("l2", 5, 0.01)
lrdp$fit(X.train, y.train, upper, lower, add.bias = TRUE)
lrdp$coeff
pred <- lrdp$predict(X.test, add.bias = TRUE)
table(truth = y.test, predicted = as.vector(pred))
confusion(y.test, pred)
raw <- lrdp$predict(X.test, add.bias = TRUE, raw.value = TRUE)
range(raw)
head(round(as.vector(raw), 3))

# brier score
mean((raw - y.test)^2)

# -- trade-off between epsilon and accuracy --
eps.grid <- c(0.5, 1, 2, 5, 10)
acc <- matrix(NA, length(eps.grid), 3, dimnames = list(paste0("eps=", eps.grid), c("min", "mean", "max")))
set.seed(33)
for (i in seq_along(eps.grid)) {
  a <- replicate(3, {
    m <- LogisticRegressionDP$new("l2", eps.grid[i], 0.01, perturbation.method = "output")
    m$fit(X.train, y.train, upper, lower, add.bias = TRUE)
    confusion(y.test, m$predict(X.test, add.bias = TRUE))["accuracy"]
  })
  acc[i, ] <- c(min(a), mean(a), max(a))
}
acc

# -- support vector machine, linear kernel --
set.seed(34)
svm <- svmDP$new("l2", 5, 0.05, perturbation.method = "output")
svm$fit(X.train, y.train, upper, lower, add.bias = TRUE)
svm$coeff
s <- confusion(y.test, svm$predict(X.test, add.bias = TRUE))
s

# -- choose gamma privately --
gammas <- c(0.001, 0.01, 0.1)
models <- lapply(gammas, function(g) LogisticRegressionDP$new("l2", 2, g))
set.seed(35)
tuned <- tune_classification_model(models, X.train, y.train, upper, lower, add.bias = TRUE)
tuned$gamma
tuned$coeff

best <- which.max(c(confusion(y.test, pred)[["accuracy"]], s[["accuracy"]]))
cat("better on the test set:", c("logistic regression", "SVM")[best], "\n")
