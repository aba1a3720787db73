# Writes the formal arguments of the functions that scripts call: Rscript formals.R OUTPUT
# Functions that dispatch have another entry, with the arguments of their methods for common classes.
# The file is read by pydpstat/porting/_packages.py, where it lies as formals.json.
output <- commandArgs(trailingOnly = TRUE)[1]
packages <- c("base", "stats", "utils", "graphics", "grDevices", "methods", "MASS", "dplyr", "DPpack", "diffpriv", "rmutil",
  "magrittr", "R6", "scales")
classes <- c("default", "data.frame", "factor", "formula", "matrix", "table", "lm", "glm", "numeric", "character", "Date", "htest")
# what R's C code matches, for which args() shows less
internal <- list(rep = c("x", "times", "length.out", "each", "..."))

text <- function(x) paste0("\"", gsub("\"", "\\\"", gsub("\\", "\\\\", x, fixed = TRUE), fixed = TRUE), "\"")
object <- function(entries, indent) {
  names <- sort(names(entries), method = "radix")
  paste0("{\n", paste0(indent, text(names), ": ", unlist(entries[names]), collapse = ",\n"), "\n}")
}
formals_of <- function(f) text(paste(names(formals(args(f))), collapse = " "))

methods <- list()
exports_of <- function(package) {
  space <- asNamespace(package)
  # only what users may call: a package of data or of classes has others
  names <- if (package == "base") ls(baseenv(), all.names = TRUE) else getNamespaceExports(space)
  names <- grep("^\\.__|<-$", names, value = TRUE, invert = TRUE)
  found <- list()
  for (name in names) {
    f <- get(name, space)
    # a generator of S4 objects takes slots, which have no order
    if (is.function(f) && !is(f, "classGeneratorFunction")) {
      found[[name]] <- if (is.null(args(f))) text("...") else formals_of(f)
    } else if (is.function(f) || inherits(f, "R6ClassGenerator")) found[[name]] <- text("class")
  }
  for (name in intersect(names(internal), names(found))) found[[name]] <- text(paste(internal[[name]], collapse = " "))
  table <- if (package == "base") baseenv()$.__S3MethodsTable__. else space$.__S3MethodsTable__.
  for (name in ls(table)) for (class in classes) {
    generic <- sub(paste0(".", class), "", name, fixed = TRUE)
    if (paste0(generic, ".", class) == name && nzchar(generic)) {
      methods[[generic]][[class]] <<- formals_of(get(name, table))
    }
  }
  object(found, "   ")
}
found <- lapply(setNames(packages, packages), exports_of)
found[["S3 methods"]] <- object(lapply(methods, object, "    "), "   ")
writeLines(object(found, "  "), output)
