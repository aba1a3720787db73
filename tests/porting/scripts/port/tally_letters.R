text <- "the quick brown fox jumps over the lazy dog"
letters_used <- strsplit(gsub(" ", "", text), "")[[1]]
counts <- sort(table(letters_used), decreasing = TRUE)
names(counts)[1:3]
as.integer(counts)[1:3]
length(unique(letters_used))
setdiff(letters, letters_used)
words <- strsplit(text, " ")[[1]]
nchar(words)
words[nchar(words) == max(nchar(words))]
paste(toupper(substring(words, 1, 1)), substring(words, 2), sep = "", collapse = " ")
vapply(words, nchar, integer(1), USE.NAMES = FALSE)
