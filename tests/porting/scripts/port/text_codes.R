code <- c("DE-101", "FR-023", "DE-200", "IT-007")
country <- sub("-.*", "", code)
number <- as.integer(sub(".*-", "", code))
country
number
split(number, country)
tapply(number, country, sum)
ok <- grepl("^[A-Z]{2}-[0-9]{3}$", code)
all(ok)
gsub("[0-9]", "#", code)
rev(strsplit("statistics", "")[[1]])[1:4]
paste(substring("abcdef", 1:3, 3:5), collapse = "|")
sprintf("%s:%05d", country, number)
tolower(country) %in% c("de", "it")
match("FR", country)
