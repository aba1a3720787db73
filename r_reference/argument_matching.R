# Writes how R matches the arguments of calls: Rscript argument_matching.R INPUT
# INPUT has on each line a function and a call of it, whose arguments are their places.
describe <- function(call, formals) {
  found <- as.list(call)[-1]
  # arguments in dots have other names, or none
  names <- if (is.null(names(found))) rep("", length(found)) else names(found)
  dots <- if ("..." %in% names) as.list(found[["..."]]) else list()
  plain <- found[names != "..."]
  plain <- plain[!vapply(plain, identical, NA, quote(expr = ))]
  places <- vapply(dots, function(x) if (identical(x, quote(expr = ))) "empty" else format(x), "")
  pairs <- sort(paste(names(plain), vapply(plain, format, "")), method = "radix")
  paste(c(pairs, if (length(places)) paste(c("...", places), collapse = " ")), collapse = "; ")
}
for (line in readLines(commandArgs(trailingOnly = TRUE)[1])) {
  both <- parse(text = line)
  f <- eval(both[[1]])
  writeLines(tryCatch(describe(match.call(f, both[[2]], expand.dots = FALSE), names(formals(f))), error = function(e) "error"))
}
