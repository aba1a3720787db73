# Write what R gives for expressions: Rscript values.R INPUT OUTPUT
# INPUT has an expression on each line. OUTPUT has a line for each: a value as text, what it prints behind
# "print", or "error". pydpstat's values are written alike by values.py.

text <- function(x) ifelse(is.na(x), "NA", vapply(enc2utf8(x), function(s)
  if (grepl("^[ -!#-[^-~]*$", s, useBytes = TRUE)) paste0("\"", s, "\"")
  else paste0("\"#", paste(charToRaw(s), collapse = ""), "\""), "", USE.NAMES = FALSE))

number <- function(x) ifelse(is.na(x), "NA", ifelse(is.infinite(x), ifelse(x > 0, "Inf", "-Inf"), sprintf("%.17g", x)))

atom <- function(x) paste(switch(typeof(x), logical = ifelse(is.na(x), "NA", ifelse(x, "TRUE", "FALSE")),
  integer = ifelse(is.na(x), "NA", paste0(x, "L")), double = number(x), character = text(x), stop("no such kind")), collapse = " ")

value <- function(x) {
  names <- if (is.null(names(x))) "" else paste0(" names ", atom(names(x)))
  if (is.null(x)) "NULL"
  else if (is.function(x)) "function"
  else if (is.factor(x)) paste0("factor ", atom(as.character(x)), " levels ", atom(levels(x)))
  else if (is.list(x)) paste0("list (", paste(vapply(x, value, "", USE.NAMES = FALSE), collapse = ", "), ")", names)
  else if (length(dim(x)) == 2) paste0("matrix ", nrow(x), " ", atom(as.vector(x)))
  else paste0("vector ", atom(as.vector(x)), names)
}

options(warn = -1)
paths <- commandArgs(trailingOnly = TRUE)
output <- file(paths[2], "wb")
variables <- new.env()
for (line in readLines(paths[1], encoding = "UTF-8")) {
  said <- tryCatch({
    called <- parse(text = line, encoding = "UTF-8")
    if (grepl("^(print|cat|str)\\(", line))
      paste(c("print", text(capture.output(eval(called, variables)))), collapse = " ")
    else value(eval(called, variables))
  }, error = function(e) "error")
  writeLines(said, output, useBytes = TRUE)
}
close(output)
