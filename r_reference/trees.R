# Write what R's parser makes of files: Rscript trees.R LIST OUTPUT
# LIST has a path on each line. OUTPUT has for each: "file PATH", then either "tree LINE:COLUMN-LINE:COLUMN TREE"
# for each expression, or "error" and R's message. pydpstat's trees are written alike by trees.py.

paths <- commandArgs(trailingOnly = TRUE)

# text that is not plain is written as its bytes
word <- function(text, quote) {
  if (grepl(if (quote == "`") "^[ -_a-~]*$" else "^[] !#-[^-~]*$", text, useBytes = TRUE))
    paste0(quote, text, quote)
  else
    paste0(quote, "#", paste(charToRaw(text), collapse = ""), quote)
}

double <- function(x) {
  if (is.nan(x)) "NaN"
  else if (is.na(x)) "NA_real_"
  else if (is.infinite(x)) "Inf"
  else if (x == 0) "0"
  else sprintf("%.13a", x)
}

constant <- function(x) {
  switch(typeof(x),
    "NULL" = "NULL",
    logical = if (is.na(x)) "NA" else if (x) "TRUE" else "FALSE",
    integer = if (is.na(x)) "NA_integer_" else paste0(x, "L"),
    double = double(x),
    complex = if (is.na(x)) "NA_complex_" else paste0(double(Im(x)), "i"),
    character = if (is.na(x)) "NA_character_" else word(x, "\""),
    stop("unexpected ", typeof(x)))
}

tree <- function(x) {
  switch(typeof(x),
    symbol = if (identical(x, quote(expr = ))) "" else word(as.character(x), "`"),
    language = {
      # a definition's fourth part is a reference to the source
      if (length(x) == 4 && identical(x[[1]], quote(`function`)) && is.integer(x[[4]])) x[4] <- list(NULL)
      paste0("(", paste(members(x), collapse = " "), ")")
    },
    pairlist = paste0("[", paste(members(x), collapse = " "), "]"),
    constant(x))
}

members <- function(x) {
  written <- vapply(as.list(x), tree, "", USE.NAMES = FALSE)
  named <- names(x)
  if (!is.null(named)) {
    tagged <- named != ""
    written[tagged] <- paste0(vapply(named[tagged], word, "", "`"), "=", written[tagged])
  }
  written
}

if (!l10n_info()$`UTF-8`)
  for (locale in c("C.UTF-8", "en_US.UTF-8"))
    if (nzchar(suppressWarnings(Sys.setlocale("LC_CTYPE", locale)))) break
options(expressions = 500000, keep.parse.data = FALSE, warn = -1)
output <- file(paths[2], "wb")
for (path in readLines(paths[1])) {
  writeLines(paste("file", path), output, useBytes = TRUE)
  parsed <- tryCatch(parse(path, keep.source = TRUE, encoding = "UTF-8"), error = conditionMessage)
  if (is.character(parsed)) {
    message <- strsplit(sub(paste0(path, ":"), "", parsed, fixed = TRUE), "\n", useBytes = TRUE)[[1]][1]
    writeLines(paste("error", message), output, useBytes = TRUE)
  } else if (length(parsed)) {
    places <- vapply(attr(parsed, "srcref"), function(each) {
      sprintf("%d:%d-%d:%d", each[1], each[5], each[3], each[6])
    }, "")
    writeLines(paste("tree", places, vapply(as.list(parsed), tree, "")), output, useBytes = TRUE)
  }
}
close(output)
