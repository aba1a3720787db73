# functions with dots: what they pass on is matched as by R
x <- c(3, 1, NA, 8)
mean_of <- function(x, ...) mean(x, ...)
mean_of(x, na.rm = TRUE)
mean_of(c(1, 2))
mean_of(c(1, 2, 30), 0.4)
# after the dots only a whole name is matched, before them a part of one
clean <- function(x, digits = 1, ..., na.rm = TRUE) round(mean(x, ..., na.rm = na.rm), digits)
clean(x)
clean(x, dig = 3)
clean(x, 3, trim = 0.4)
clean(x, na.rm = FALSE)
loose <- function(value, ..., na.rm = TRUE) paste(value, na.rm, length(list(...)))
loose(1, na = FALSE)
loose(na = FALSE, val = 1)
loose(3, 4, value = 5, na.rm = FALSE)
# one function passes them to another
both <- function(x, ...) c(mean_of(x, ...), clean(x, ...))
both(c(1, 2, 30), trim = 0.4)
countdown <- function(steps, ...) if (steps == 0) paste(...) else countdown(steps - 1, ...)
countdown(3, "a", "b")
countdown(2, 1, "b", sep = "-")
inner <- function(x, ...) {
  shorten <- function(v) round(v, ...)
  shorten(x) + sum(sapply(x, function(v) round(v, ...)))
}
inner(c(1.26, 2.34), 1)
inner(c(1.26, 2.34), digits = 0)
# parts of the dots
add <- function(...) ..1 + ..2
add(3, 4)
add(1, k = 2)
how_many <- function(...) ...length()
how_many(1, "a", NULL)
how_many()
elements <- function(...) list(...)
elements(b = 2, a = 3)
elements(1, "a")
given <- function(a, ...) {
  others <- list(...)
  if (length(others) > 0) a + others[[1]] else a
}
given(1)
given(1, 5)
given(1, k = 3)
total <- function(...) sum(c(...))
total(1, 2, 3)
total(1:3)
total()
largest <- function(...) max(..., na.rm = TRUE)
largest(x, 2)
glue <- function(x, ..., sep = "_") paste(x, ..., sep = sep)
glue("a", "b", 1)
glue("a", "b", sep = "/")
glue("a", c("b", "c"), collapse = "+")
# names of the dots that the function uses itself
scaled <- function(x, ...) {
  digits <- 2
  round(x * digits, ...)
}
scaled(1.234, digits = 1)
digits_of <- function(x, ...) scaled(x, digits = 3, ...)
digits_of(1.2345)
# apply functions pass arguments on
sd_of <- function(x, ...) sd(x, ...)
sapply(list(a = c(1, NA, 4), b = c(2, 5)), sd_of, na.rm = TRUE)
vapply(list(c(1, 3, 4), c(2, 5)), sd_of, 1)
lapply(list(c(1, NA), 2), mean_of, na.rm = TRUE)
power <- function(x, p = 2, ...) x^p + sum(...)
sapply(1:3, power)
sapply(1:3, power, 3, 10)
sapply(1:3, power, p = 3, 10) # refused
# draws are in R's order
set.seed(1)
drawn <- function(n, ...) sum(n) + rnorm(1, ...)
drawn(runif(1), 5, 0.1)
drawn(1, runif(1))
late <- function(x, ...) {
  first <- runif(1)
  sum(x, first, ...)
}
late(1, 2)
late(1, runif(1)) # refused
# what reads more than the values is refused
tabulated <- function(...) table(...) # refused
tabulated(c(1, 1, 2))
columns <- function(...) data.frame(...)
columns(a = 1:2, b = 3:4)
fitted_by <- function(...) lm(...) # refused
asked <- function(...) nargs() # refused
asked(1, 2)
applied <- function(f, ...) f(...)
applied(sum, 1, 2)
applied(mean, x, na.rm = TRUE)
as_value <- mean_of # refused
