x <- y <- 1; x <<- y = 2; x = y <- 3; a = b = c; 5 -> x; 6 ->> y; 1 -> a -> b; a <- b -> c; a -> b <- c; x := y; x := y <- z
#----
names(x)[2] <- "b"; attr(x, "a") <<- TRUE; x$y$z = 1; "x" <- 1; `my var` <- 2; f(x) <- g(y) <- z; -x <- 1; ! x = 2
#----
a = b ? c; a ? b = c ? d; ?a = b; ? a ? b; a <- ?b; (a = 1); f((a = 1)); {a = 1; b}
#----
f <- function(x) y = 2; if (a) b = 2 else c = 3; while (a) b = 1; for (i in x) y = i; repeat x = 1; a + function(x) y = 2
#----
f(a = b = c)
#----
if (a = 1) b
#----
x[a = 1]; x[[b = 2, drop = FALSE]]
