library(ggplot2)
library(DPpack)
d <- read.csv("d.csv")
m <- medianDP(d$age, 1, 0, 100)
ggplot(d, aes(age)) + geom_histogram()  # finds: raw-plot
p <- ggplot(d, aes(x = age, y = income)) + geom_point()  # finds: raw-plot
ggsave("p.png", p)
