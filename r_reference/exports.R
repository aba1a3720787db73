# Writes what the R packages export, with arguments and defaults: Rscript exports.R OUTPUT
# R6 classes have an entry for each public method, S4 classes one for their slots.
arguments <- commandArgs(trailingOnly = TRUE)

text <- function(x) paste0("\"", gsub("\"", "\\\"", gsub("\\", "\\\\", x, fixed = TRUE), fixed = TRUE), "\"")
object <- function(names, values) paste0("{", paste(paste0(text(names), ": ", values), collapse = ", "), "}")

pairs <- function(names, values) {
  if (!length(names)) return("[]")
  paste0("[", paste(paste0("[", text(names), ", ", text(values), "]"), collapse = ", "), "]")
}

# the value of a slot in a new object where it is one number, else nothing
default <- function(slot, class) {
  value <- tryCatch(slot(class(), slot), error = function(e) NULL)
  if (is.numeric(value) && length(value) == 1) deparse(value) else ""
}

arguments_of <- function(f) {
  each <- as.list(formals(args(f)))
  pairs(names(each), vapply(each, function(x) paste(deparse(x), collapse = " "), ""))
}

export <- function(name, namespace) {
  value <- get(name, namespace)
  if (inherits(value, "R6ClassGenerator")) {
    methods <- list()
    class <- value
    while (!is.null(class)) {
      methods <- c(methods, class$public_methods[setdiff(names(class$public_methods), names(methods))])
      class <- class$get_inherit()
    }
    methods$clone <- NULL
    return(object(c("kind", "methods"), c(text("R6"), object(names(methods), vapply(methods, arguments_of, "")))))
  }
  if (is(value, "classGeneratorFunction")) {
    slots <- names(getSlots(getClass(value@className, where = namespace)))
    return(object(c("kind", "slots"), c(text("S4"), pairs(slots, vapply(slots, default, "", value)))))
  }
  object(c("kind", "arguments"), c(text("function"), arguments_of(value)))
}

package <- function(name) {
  namespace <- asNamespace(name)
  names <- sort(grep("^\\.__", getNamespaceExports(namespace), value = TRUE, invert = TRUE), method = "radix")
  entries <- paste0("  ", text(names), ": ", vapply(names, export, "", namespace))
  paste0(text(name), ": {\n\"version\": ", text(as.character(packageVersion(name))), ",\n\"exports\": {\n",
         paste(entries, collapse = ",\n"), "\n}}")
}

writeLines(c("{", paste(vapply(c("DPpack", "diffpriv"), package, ""), collapse = ",\n"), "}"), arguments[1])
