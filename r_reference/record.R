# Records what R returns for every comparison: Rscript record.R EVALUATE CASES OUTPUT
#   EVALUATE  path of evaluate.R;  CASES  an R file that defines `cases`;  OUTPUT  a JSON file.
arguments <- commandArgs(trailingOnly = TRUE)
source(arguments[1])
cases <- list()
source(arguments[2])

text <- function(x) {
  x <- gsub("\\", "\\\\", enc2utf8(as.character(x)), fixed = TRUE)
  x <- gsub("\"", "\\\"", x, fixed = TRUE)
  x <- gsub("\t", "\\t", gsub("\r", "\\r", gsub("\n", "\\n", x, fixed = TRUE), fixed = TRUE), fixed = TRUE)
  paste0("\"", x, "\"")
}
array_of <- function(x) if (length(x)) paste0("[", paste(text(x), collapse = ", "), "]") else "[]"
member <- function(name, value) paste0(text(name), ": ", value)

one <- function(case) {
  result <- pydpstat_evaluate(case$seed, case$inputs, case$expression, case$seconds)
  fields <- c(
    member("r", text(case$expression)), member("inputs", array_of(case$inputs)),
    member("seed", case$seed), member("error", text(result$error)),
    member("values", array_of(result$values)), member("labels", array_of(result$labels)),
    member("next_uniform", text(result$next_uniform)))
  member(case$id, paste0("{", paste(fields, collapse = ", "), "}"))
}

versions <- pydpstat_versions(c("rmutil", "DPpack", "diffpriv", "mipfp", "sdcMicro"))
lines <- vapply(cases, one, "")
heading <- member("versions", paste0("{", paste(mapply(member, names(versions), text(versions)), collapse = ", "), "}"))
writeLines(c("{", paste0(heading, ","), "\"cases\": {", paste(lines, collapse = ",\n"), "}", "}"),
           arguments[3], useBytes = TRUE)
