edu <- c("primary", "tertiary", "secondary", "secondary", "primary", "tertiary", "secondary")
f <- factor(edu, levels = c("primary", "secondary", "tertiary"), ordered = TRUE)
f
table(f)
f >= "secondary"
sum(f == "tertiary")
max(as.integer(f))
g <- factor(f, labels = c("low", "mid", "high"))
levels(g)
droplevels(f[f != "primary"])
interaction <- paste(edu, rev(edu), sep = ".")
head(interaction, 2)
tapply(seq_along(f), f, length)
rev(levels(f))
