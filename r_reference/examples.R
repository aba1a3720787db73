# Rscript examples.R FOLDER: writes the examples of the help pages of some packages, one file per page.
(function(folder, packages) {
  for (package in Filter(function(name) nzchar(system.file(package = name)), packages)) {
    dir.create(file.path(folder, package), recursive = TRUE, showWarnings = FALSE)
    pages <- tools::Rd_db(package)
    for (page in names(pages)) {
      output <- file.path(folder, package, sub("[.]Rd$", ".R", basename(page)))
      tools::Rd2ex(pages[[page]], output, commentDontrun = TRUE, commentDonttest = TRUE)
      if (!file.exists(output)) next
      # the header of the page is no code of an example
      lines <- readLines(output, encoding = "UTF-8")
      attach <- if (!package %in% c("base", "stats", "utils", "datasets")) paste0("library(", package, ")")
      writeLines(c(attach, lines[-seq_len(grep("^### [*][*] Examples", lines)[1])]), output, useBytes = TRUE)
    }
  }
})(commandArgs(TRUE)[1], c("base", "stats", "utils", "datasets", "MASS", "dplyr", "DPpack", "diffpriv"))
