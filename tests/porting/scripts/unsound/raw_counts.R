library(DPpack)
library(dplyr)
d <- read.csv("d.csv")
region <- c("n", "s")
d$region <- factor(d$region, levels = region)
d %>% group_by(region) %>% summarise(m = meanDP(x, 1, 0, 100), n = n())  # finds: raw-value repeated
print(nrow(d[d$sex == "f", ]))  # finds: raw-value
cat("women:", length(which(d$sex == "f")), "\n")  # finds: raw-value
length(unique(d$person))  # finds: raw-value
old <- subset(d, age > 64)
message("of ", nrow(d), " are ", nrow(old))  # finds: raw-value
