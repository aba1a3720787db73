# integers with missing values are integers again without them
path <- tempfile()
write.csv(data.frame(g = c("a", "b", "a", "b"), n = c(1L, NA, 3L, 40000L), m = c(2L, 5L, NA, 7L)), path, row.names = FALSE)
d <- read.csv(path)
d$n
known <- d[!is.na(d$n), ]
known$n
known$m
str(known$n)
sum(known$n)
range(known$n)
x <- na.omit(d$n)
max(x)
all <- na.omit(d)
all
all$n * 2
d$change <- d$n - d$m
done <- subset(d, !is.na(change))
done
d$half <- d$n / 2
d[!is.na(d$half), ]
y <- d$n[!is.na(d$n)]
y
y + 1L
