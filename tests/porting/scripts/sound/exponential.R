library(DPpack)
votes <- read.csv("votes.csv")$party
parties <- c("red", "green", "blue")
support <- sapply(parties, function(p) sum(votes == p))
winner <- ExponentialMechanism(support, eps = 1, sensitivity = 1, candidates = parties)
print(winner)
