# names of a row, of one named value, and of what a function gives
m <- matrix(1:6, nrow = 2, dimnames = list(c("a", "b"), LETTERS[1:3]))
m[1, ]
m[, 2] * 2
m[1, 2]
p <- c(a = 3, b = 1)
p["a"] > p["b"]
!(p["a"] > 2)
p["a"] > 2 && TRUE
if (p["a"] > 2) "larger"
tcrossprod(p)
vapply(1:2, function(i) c(u = 1, v = 2), c(x = 0, y = 0))
make.names(c("", "X", "a b", "a.b"), unique = TRUE)
ma <- matrix(c(1:4, 1, 6:8), nrow = 2)
apply(ma, 1, table)
apply(ma, 1, function(v) v[v > 2])
z <- list(a = list(b = 9, c = "hello"), d = 1:5)
z[[c("a", "b")]] <- "new" # refused
