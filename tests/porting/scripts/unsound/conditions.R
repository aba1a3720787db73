library(DPpack)
d <- read.csv("d.csv")
m <- meanDP(d$x, 1, 0, 100)
if (abs(m - mean(d$x)) > 5) print("far")  # finds: raw-value
e <- read.csv("e.csv")
up <- 10
if (max(e$x) > 10) up <- 100
medianDP(e$x, 1, 0, up)  # finds: argument-from-data
f <- read.csv("f.csv")
near <- 0
while (abs(near - mean(f$x)) > 1) {  # finds: raw-value
  near <- meanDP(f$x, 1, 0, 100)  # finds: repeated-without-end
}
g <- read.csv("g.csv")
repeat {
  near <- meanDP(g$x, 1, 0, 100)  # finds: repeated-without-end
  if (abs(near - mean(g$x)) < 1) break  # finds: raw-value
}
h <- read.csv("h.csv")
medianDP(h$x, ifelse(length(h$x) > 100 && any(h$x > 50), 1, 0.5), 0, 100)  # finds: argument-from-data
label <- if (median(h$x) > 40) "old" else "young"
print(label)  # finds: raw-value
k <- read.csv("k.csv")
m <- meanDP(k$x, 1, 0, 100)
stopifnot(abs(m - mean(k$x)) < 5)  # finds: raw-value
if (m > max(k$x)) stop("too large")  # finds: raw-value
