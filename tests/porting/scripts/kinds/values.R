# values that only some of R's functions have
factorial(c(50:60, 80, 100, 170))
strtoi(c("0xff", "077", "123"))
strtoi("077", 10L)
strsplit(c("abc", "de"), NULL)
c("a\bb", "c\ad", "e\vf\f")
f <- y ~ a + b
length(f) # refused
as.character(f) # refused
f # refused
h <- 1 / outer(1:9, 1:9, function(i, j) i + j - 1)
solve(h) # refused
zero <- 0
zero / zero # refused
max(1:3, NA) # refused
start <- Sys.time()
Sys.time() - start # refused
path <- tempfile()
write.csv(data.frame(a = 1:2), path, row.names = FALSE)
read.csv(path)
(-1:1) / 0 # refused
c(1, NA) / 2
makeActiveBinding("active", function() 2, environment()) # refused
active # refused
dnorm(c(-40, -5, -0.3, 0, 4.99, 5.7, 20))
pnorm(1:7, lower.tail = FALSE)
