# Writes down what an R script computes and prints, one top-level expression after the other, as JSON.
# Rscript record.R SCRIPT OUTPUT: numbers without loss, base R only. The script is evaluated in R's global
# environment, in the script's folder. This file's functions are outside of it, so that neither masks the
# other, and call no function by a class of the script's: its length() or names() may not be the list's.
(function(script, output) {
  record <- function(script, output) {
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

    # attributes that are not written elsewhere; a list's or a vector's "names" are
    others_of <- function(given, known) {
      rest <- given[setdiff(names(given), known)]
      if (length(rest)) c(attributes = object_of(names(rest), vapply(rest, value_of, "")))
    }
    written_elsewhere <- c("names", "dim", "dimnames", "class", "levels", "row.names", "srcref")

    vector_of <- function(x) {
      given <- attributes(x)
      factors <- is.factor(x)
      ordered <- is.ordered(x)
      classes <- if (is.object(x)) class(x)
      attributes(x) <- NULL
      parts <- c(kind = text(typeof(x)), count = length(x), values = array_of(leaf(ends(x))))
      if (factors) {
        parts[["kind"]] <- "\"factor\""
        parts[["levels"]] <- texts(given[["levels"]])
        if (ordered) parts[["ordered"]] <- "true"
      } else if (!is.null(classes)) parts[["class"]] <- texts(classes)
      if (!is.null(given[["dim"]])) {
        parts[["dim"]] <- array_of(given[["dim"]])
        if (!is.null(given[["dimnames"]])) {
          parts[["dimnames"]] <- array_of(vapply(given[["dimnames"]], texts, ""))
          parts[["dnn"]] <- texts(names(given[["dimnames"]]))
        }
      } else if (!is.null(given[["names"]])) parts[["names"]] <- texts(ends(given[["names"]]))
      parts <- c(parts, others_of(given, if (factors) written_elsewhere else setdiff(written_elsewhere, "levels")))
      pooled(object_of(names(parts), parts))
    }
    # of what only R has, the numbers by name
    fields_of <- function(kind, x, names, get) {
      fields <- Filter(function(name) is.numeric(get(name)), names)
      object_of(c("kind", "class", "fields"), c(text(kind), texts(class(x)),
                object_of(fields, vapply(fields, function(name) value_of(get(name)), ""))))
    }
    list_of <- function(kind, x) {
      given <- attributes(x)
      classes <- if (is.object(x)) class(x)
      automatic <- .row_names_info(x) < 0
      attributes(x) <- NULL
      written <- c(kind = text(kind), class = texts(classes), names = texts(given[["names"]]),
                   values = array_of(vapply(x, value_of, "")))
      if (kind == "data.frame") {
        written[["rows"]] <- length(given[["row.names"]])
        if (!automatic) written[["row_names"]] <- texts(ends(given[["row.names"]]))
      } else if (!is.null(given[["dim"]])) {
        written[["dim"]] <- array_of(given[["dim"]])
        # as tapply's, which is a list with names
        if (length(given[["dim"]]) == 1 && is.null(names(given[["dimnames"]]))) {
          written[["names"]] <- texts(given[["dimnames"]][[1]])
          written <- written[names(written) != "dim"]
        }
      }
      # of objects the fields say what they are; their terms and calls are R's own
      if (is.null(classes) || kind == "data.frame") written <- c(written, others_of(given, written_elsewhere))
      object_of(names(written), written)
    }
    value_of <- function(x) {
      if (is.null(x)) return("{\"kind\":\"NULL\"}")
      if (isS4(x) && !is.function(x)) return(fields_of("S4", x, methods::slotNames(x), function(n) methods::slot(x, n)))
      if (inherits(x, "R6")) return(fields_of("R6", x, ls(x), function(n) get(n, envir = x)))
      if (inherits(x, "lm")) return(fields_of("model", x, "coefficients", function(n) .subset2(x, n)))
      if (is.data.frame(x)) return(list_of("data.frame", x))
      if (typeof(x) == "list") return(list_of("list", unclass_dates(x)))
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
    # those that it changes otherwise, as by assign(), data() or <<- in a function
    globals <- function()
      mget(setdiff(ls(globalenv(), all.names = TRUE), ".Random.seed"), envir = globalenv())
    changed <- function(before, after)
      Filter(function(name) !name %in% names(before) || !same(before[[name]], after[[name]]), names(after))
    # a function with other comments is the same
    same <- function(x, y) identical(x, y, ignore.srcref = TRUE)
    stream <- function() get0(".Random.seed", globalenv(), inherits = FALSE)

    # as R does at its prompt: methods of the script's are found, and functions of its that mask print are not
    show <- function(x) {
      shown <- if (isS4(x) && !is.function(x)) methods::show else base::print
      eval(as.call(list(shown, as.call(list(as.name("quote"), x)))), globalenv())
    }

    evaluated <- function(e, line, index) {
      printed <- tempfile()
      connection <- file(printed, "w", encoding = "UTF-8")
      depth <- sink.number()
      sink(connection)
      failure <- NULL
      outcome <- NULL
      said <- character()
      before <- globals()
      drawn <- stream()
      tryCatch(withCallingHandlers({
        outcome <- withVisible(eval(e, globalenv()))
        if (outcome$visible) show(outcome$value)
      }, message = function(condition) {
        # what a package says when it is attached is not the script's
        if (!inherits(condition, "packageStartupMessage")) said <<- c(said, conditionMessage(condition))
      }),
      error = function(condition) failure <<- conditionMessage(condition))
      while (sink.number() > depth) sink()
      close(connection)
      shown <- isTRUE(outcome$visible) || (is.call(e) && identical(e[[1]], as.name("print")))
      after <- globals()
      kept <- intersect(c(assigned(e), changed(before, after)), names(after))
      parts <- c(index = index - 1, line = line, visible = if (isTRUE(outcome$visible)) "true" else "false",
                 output = array_of(text(readLines(printed, warn = FALSE, encoding = "UTF-8"))))
      bytes <- readBin(printed, "raw", file.size(printed))
      if (length(bytes) && bytes[length(bytes)] != 10) parts[["unended"]] <- "true"
      if (length(said)) parts[["messages"]] <- array_of(text(said))
      if (!identical(drawn, stream())) parts[["draws"]] <- "true"
      if (shown && is.null(failure)) parts[["value"]] <- value_of(outcome$value)
      if (length(kept))
        parts[["variables"]] <- object_of(kept, vapply(after[kept], value_of, ""))
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
  }
  environment(record) <- new.env(parent = baseenv())
  record(script, output)
})(commandArgs(TRUE)[1], commandArgs(TRUE)[2])
