# R's side of the comparison: the packages that pydpstat is compared with.
#
#   Rscript r_reference/install.R LIBRARY   installs what is missing into the folder LIBRARY
#   Rscript r_reference/install.R --check   prints what is installed; 0 if nothing is missing
#   Rscript r_reference/install.R --probe   0 if nothing is missing, or CRAN answers
#
# Lines that begin with "pydpstat-" are for the set-up, which runs this script.

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1]))
# Rscript writes a space in the script's own path as "~+~".
here <- gsub("~+~", " ", here, fixed = TRUE)
listed <- function(name) {
  read.table(file.path(here, name), col.names = c("package", "version"), colClasses = "character")
}
pins <- listed("versions.txt")
peers <- listed("peers.txt")

installed_version <- function(package) {
  tryCatch(as.character(utils::packageVersion(package)), error = function(e) "missing")
}

installed <- function(packages = pins) vapply(packages$package, installed_version, "")
is_missing <- function(packages = pins) installed(packages) == "missing"

use_cran <- function() {
  repos <- getOption("repos")
  if (identical(unname(repos["CRAN"]), "@CRAN@")) utils::chooseCRANmirror(ind = 1, local.only = TRUE)
}

# A whole index is fetched, not only an address tried: a proxy's error page also answers.
packages_on_cran <- function() {
  options(timeout = 30)
  tryCatch(suppressWarnings(utils::available.packages(type = "source")),
           error = function(e) matrix("", 0, 0))
}

loads <- function(package) {
  code <- sprintf("library(%s)", package)
  rscript <- file.path(R.home("bin"), "Rscript")
  system2(rscript, c("--no-init-file", "-e", shQuote(code)), stdout = FALSE, stderr = FALSE) == 0
}

# CRAN's current version, or the mirrored one from its archive once CRAN has moved on.
# Another version than the mirrored one is better than none, and is reported.
install_one <- function(package, version, available, library) {
  if (available[package, "Version"] != version) {
    archived <- sprintf("%s/Archive/%s/%s_%s.tar.gz", available[package, "Repository"],
                        package, package, version)
    source <- file.path(tempdir(), basename(archived))
    if (tryCatch(utils::download.file(archived, source), error = function(e) 1) == 0) {
      needed <- tools::package_dependencies(package, available, recursive = TRUE)[[1]]
      absent <- setdiff(needed, rownames(utils::installed.packages()))
      if (length(absent)) utils::install.packages(absent, lib = library, available = available)
      utils::install.packages(source, lib = library, repos = NULL, type = "source")
      return(invisible())
    }
  }
  if (installed_version(package) == "missing") {
    utils::install.packages(package, lib = library, available = available)
  }
}

# Whole packages only: each is moved into place when it is complete and loads.
move_packages <- function(from, to) {
  dir.create(to, showWarnings = FALSE, recursive = TRUE)
  for (path in list.dirs(from, recursive = FALSE)) {
    if (!file.exists(file.path(path, "DESCRIPTION"))) next
    target <- file.path(to, basename(path))
    unlink(target, recursive = TRUE)
    if (!file.rename(path, target)) stop("could not move ", path, " to ", target)
  }
}

install <- function(library) {
  absent <- rbind(pins[installed() != pins$version, ], peers[is_missing(peers), ])
  if (nrow(absent) == 0) return(invisible())
  use_cran()
  available <- packages_on_cran()
  unreachable <- nrow(available) == 0
  if (!unreachable) {
    staging <- paste0(library, ".new")
    unlink(staging, recursive = TRUE)
    dir.create(staging, recursive = TRUE)
    .libPaths(c(staging, .libPaths()))
    # The same for the R processes that install.packages and loads start.
    Sys.setenv(R_LIBS = paste(c(staging, Sys.getenv("R_LIBS")), collapse = .Platform$path.sep))
    options(timeout = 300)
    for (i in seq_len(nrow(absent))) {
      package <- absent$package[i]
      if (package %in% rownames(available)) install_one(package, absent$version[i], available, staging)
      if (!loads(package)) unlink(file.path(staging, package), recursive = TRUE)
    }
    move_packages(staging, library)
    unlink(staging, recursive = TRUE)
    .libPaths(c(library, .libPaths()))
  }
  for (package in pins$package[is_missing()]) {
    reason <- if (unreachable) "CRAN could not be reached" else "its installation failed"
    cat(sprintf("pydpstat-note: %s is not installed (%s): it is checked against recorded references only.\n",
                package, reason))
  }
}

report_peers <- function() {
  cat(sprintf("pydpstat-have: %s %s\n", peers$package, installed(peers)), sep = "")
  for (package in peers$package[is_missing(peers)]) {
    cat(sprintf("%s is not installed: what is compared with it is checked against recorded values only.\n", package))
  }
}

report_versions <- function() {
  for (i in seq_len(nrow(pins))) {
    version <- installed_version(pins$package[i])
    cat(sprintf("pydpstat-have: %s %s\n", pins$package[i], version))
    if (!version %in% c("missing", pins$version[i])) {
      cat(sprintf("pydpstat-different: %s is %s here, and pydpstat mirrors %s: live results may differ.\n",
                  pins$package[i], version, pins$version[i]))
    }
  }
}

argument <- commandArgs(trailingOnly = TRUE)
if (length(argument) != 1) stop("usage: Rscript r_reference/install.R LIBRARY | --check | --probe")
if (argument == "--probe") {
  use_cran()
  quit(status = if (any(is_missing()) && nrow(packages_on_cran()) == 0) 1 else 0)
}
if (argument != "--check") install(argument)
cat(sprintf("pydpstat-have: R %s\n", getRversion()))
report_versions()
report_peers()
# The set-up tries to install what is missing; only a mirrored package has to be there after that.
checked <- if (argument == "--check") rbind(pins, peers) else pins
quit(status = if (any(is_missing(checked))) 1 else 0)
