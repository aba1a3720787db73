# Evaluates one comparison in R and returns everything as text, numbers without loss.
# The live run and the recording both use this file, so that they cannot differ.

pydpstat_flatten <- function(value) {
  if (inherits(value, "histogram"))
    return(list(values = c(value$breaks, value$counts, value$mids), labels = character()))
  if (is.list(value)) {
    parts <- lapply(unclass(value), pydpstat_flatten)
    return(list(values = as.numeric(unlist(lapply(parts, `[[`, "values"))),
                labels = as.character(unlist(lapply(parts, `[[`, "labels")))))
  }
  if (is.character(value)) return(list(values = numeric(), labels = value))
  labels <- if (!is.null(dim(value))) unlist(dimnames(value)) else names(value)
  list(values = as.numeric(value), labels = as.character(labels))
}

pydpstat_evaluate <- function(seed, inputs, expression, seconds) {
  env <- new.env(parent = globalenv())
  for (line in inputs) eval(parse(text = line), env)
  set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  failure <- ""
  setTimeLimit(elapsed = seconds, transient = TRUE)
  value <- tryCatch(
    suppressMessages(suppressWarnings(eval(parse(text = expression), env))),
    error = function(e) {
      failure <<- conditionMessage(e)
      if (!nzchar(failure)) failure <<- "error without a message"
      numeric()
    })
  setTimeLimit()
  flat <- pydpstat_flatten(value)
  # NA prints as text, so it is marked before sprintf turns it into "NA"
  list(values = sprintf("%a", flat$values), labels = ifelse(is.na(flat$labels), "NA", flat$labels),
       error = failure, next_uniform = sprintf("%a", stats::runif(1)))
}

pydpstat_versions <- function(packages) {
  version <- function(package)
    tryCatch(as.character(utils::packageVersion(package)), error = function(e) "")
  c(R = as.character(getRversion()), vapply(packages, version, ""),
    kind = paste(RNGkind(), collapse = "/"), platform = R.version$platform)
}
