# Writes down what an R script computes and prints, one top-level expression after the other, as JSON.
# Rscript record.R SCRIPT OUTPUT: numbers without loss, base R only, and nothing of this file is in the way
# of the script, whose expressions are evaluated in R's global environment, in the script's folder.
(function(script, output) {
  pool <- character()
  longest <- 5000

  text <- function(x) {
    x <- iconv(enc2utf8(as.character(x)), "UTF-8", "UTF-8", sub = "byte")
    x <- gsub("\"", "\\\"", gsub("\\", "\\\\", x, fixed = TRUE), fixed = TRUE)
    for (code in 1:31) {
      sign <- rawToChar(as.raw(code))
      if (any(grepl(sign, x, fixed = TRUE))) x <- gsub(sign, sprintf("\\u%04x", code), x, fixed = TRUE)
    }
    ifelse(is.na(x), "null", paste0("\"", x, "\""))
  }
  number <- function(x) {
    written <- sprintf("\"%a\"", x)
    whole <- which(is.finite(x) & x == trunc(x) & abs(x) < 2^53 & (x != 0 | 1 / x > 0))
    written[whole] <- sprintf("%.0f", x[whole])
    written[is.na(x)] <- ifelse(is.nan(x[is.na(x)]), "\"NaN\"", "\"NA\"")
    written
  }
  leaf <- function(x)
    switch(typeof(x), double = number(x), integer = ifelse(is.na(x), "\"NA\"", sprintf("%d", x)),
           logical = ifelse(is.na(x), "\"NA\"", ifelse(x, "true", "false")), character = text(x))
  array_of <- function(parts) paste0("[", paste(parts, collapse = ","), "]")
  object_of <- function(names, parts)
    paste0("{", paste0(text(names), ":", parts, recycle0 = TRUE, collapse = ","), "}")
  texts <- function(x) if (is.null(x)) "null" else array_of(text(x))

  # vectors that come again are written once
  pooled <- function(written) {
    if (nchar(written, "bytes") < 200) return(written)
    place <- match(written, pool)
    if (is.na(place)) {
      pool <<- c(pool, written)
      place <- length(pool)
    }
    paste0("{\"ref\":", place - 1, "}")
  }
  ends <- function(x) if (length(x) > longest) x[c(1:20, length(x) - 19:0)] else x

  vector_of <- function(x) {
    bare <- as.vector(unclass(x))
    parts <- c(kind = text(typeof(x)), count = length(bare), values = array_of(leaf(ends(bare))))
    if (is.factor(x)) {
      parts[["kind"]] <- "\"factor\""
      parts[["values"]] <- array_of(leaf(ends(as.integer(x))))
      parts[["levels"]] <- texts(levels(x))
    } else if (is.object(x)) parts[["class"]] <- texts(class(x))
    if (!is.null(dim(x))) {
      parts[["dim"]] <- array_of(dim(x))
      if (!is.null(dimnames(x))) {
        parts[["dimnames"]] <- array_of(vapply(dimnames(x), texts, ""))
        parts[["dnn"]] <- texts(names(dimnames(x)))
      }
    } else if (!is.null(names(x))) parts[["names"]] <- texts(ends(names(x)))
    pooled(object_of(names(parts), parts))
  }
  # of what only R has, the numbers by name
  fields_of <- function(kind, x, names, get) {
    fields <- Filter(function(name) is.numeric(get(name)), names)
    object_of(c("kind", "class", "fields"), c(text(kind), texts(class(x)),
              object_of(fields, vapply(fields, function(name) value_of(get(name)), ""))))
  }
  list_of <- function(kind, x) {
    parts <- vapply(seq_along(x), function(i) value_of(.subset2(x, i)), "")
    written <- c(kind = text(kind), class = texts(if (is.object(x)) class(x)), names = texts(names(x)),
                 values = array_of(parts))
    if (kind == "data.frame") written[["rows"]] <- length(attr(x, "row.names"))
    object_of(names(written), written)
  }
  value_of <- function(x) {
    if (is.null(x)) return("{\"kind\":\"NULL\"}")
    if (isS4(x) && !is.function(x)) return(fields_of("S4", x, methods::slotNames(x), function(n) methods::slot(x, n)))
    if (inherits(x, "R6")) return(fields_of("R6", x, ls(x), function(n) get(n, envir = x)))
    if (inherits(x, "lm")) return(fields_of("model", x, "coefficients", function(n) x[[n]]))
    if (is.data.frame(x)) return(list_of("data.frame", x))
    if (is.list(x)) return(list_of("list", unclass_dates(x)))
    if (is.atomic(x) && !is.complex(x) && !is.raw(x)) return(vector_of(x))
    object_of(c("kind", "class"), c("\"other\"", texts(class(x))))
  }
  unclass_dates <- function(x) if (inherits(x, "POSIXlt")) unclass(x) else x

  # the variables that an expression assigns, also within loops and conditions
  assigned <- function(e) {
    if (!is.call(e)) return(character())
    head <- if (is.name(e[[1]])) as.character(e[[1]]) else ""
    if (head == "function") return(character())
    within <- unlist(lapply(as.list(e)[-1], function(part) if (!missing(part)) assigned(part)))
    if (!head %in% c("<-", "=", "<<-")) return(within)
    target <- e[[2]]
    while (is.call(target)) target <- target[[2]]
    c(within, as.character(target))
  }
  evaluated <- function(e, line, index) {
    printed <- tempfile()
    connection <- file(printed, "w", encoding = "UTF-8")
    depth <- sink.number()
    sink(connection)
    failure <- NULL
    outcome <- NULL
    tryCatch({
      outcome <- withVisible(eval(e, globalenv()))
      if (outcome$visible) print(outcome$value)
    }, error = function(condition) failure <<- conditionMessage(condition))
    while (sink.number() > depth) sink()
    close(connection)
    shown <- isTRUE(outcome$visible) || (is.call(e) && identical(e[[1]], as.name("print")))
    kept <- unique(Filter(function(name) exists(name, globalenv(), inherits = FALSE), assigned(e)))
    parts <- c(index = index - 1, line = line, visible = if (isTRUE(outcome$visible)) "true" else "false",
               output = array_of(text(readLines(printed, warn = FALSE, encoding = "UTF-8"))))
    if (shown && is.null(failure)) parts[["value"]] <- value_of(outcome$value)
    if (length(kept))
      parts[["variables"]] <- object_of(kept, vapply(kept, function(n) value_of(get(n, globalenv())), ""))
    if (!is.null(failure)) parts[["error"]] <- text(failure)
    unlink(printed)
    list(json = object_of(names(parts), parts), stopped = !is.null(failure))
  }

  output <- file.path(normalizePath(dirname(output)), basename(output))
  lines <- readLines(script, warn = FALSE, encoding = "UTF-8")
  plain <- tempfile()
  writeLines(lines, connection <- file(plain, "wb"), useBytes = TRUE)
  close(connection)
  parts <- c(script = text(basename(script)), md5 = text(tools::md5sum(plain)), R = text(getRversion()),
             collation = text(Sys.getlocale("LC_COLLATE")))
  setwd(dirname(script))
  # no plots in the script's folder
  options(device = function(...) grDevices::pdf(NULL))
  expressions <- parse(text = lines, keep.source = TRUE, encoding = "UTF-8")
  starts <- vapply(attr(expressions, "srcref"), `[`, 0L, 1L)
  records <- character()
  for (i in seq_along(expressions)) {
    each <- evaluated(expressions[[i]], starts[[i]], i)
    records <- c(records, each$json)
    if (each$stopped) break
  }
  used <- intersect(c("DPpack", "diffpriv", "dplyr"), loadedNamespaces())
  parts[["packages"]] <- object_of(used, vapply(used, function(p) text(utils::packageVersion(p)), ""))
  parts[["expressions"]] <- paste0("[\n", paste(records, collapse = ",\n"), "\n]")
  parts[["pool"]] <- paste0("[\n", paste(pool, collapse = ",\n"), "\n]")
  writeLines(object_of(names(parts), parts), connection <- file(output, "wb"), useBytes = TRUE)
  close(connection)
})(commandArgs(TRUE)[1], commandArgs(TRUE)[2])
