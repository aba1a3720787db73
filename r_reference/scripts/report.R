#!/usr/bin/env Rscript
# Quarterly report as plain text
library("DPpack")
d <- read.csv("data/survey.csv")
h <- read.csv("data/households.csv")
eps <- 1

title <- "Quarterly report"
cat(title, "\n")
cat(rep("=", nchar(title)), "\n", sep = "")
cat("Prepared by: ", toupper("statistics unit"), "\n\n", sep = "")

## helper functions ------------------------------------------------------------
pct <- function(x, digits = 1) paste0(formatC(100 * x, format = "f", digits = digits), "%")
money <- function(x) format(round(x), big.mark = ",")
line <- function(label, value, width = 28) cat(sprintf("%-*s %s\n", width, label, value))
stars <- function(p) if (p < .001) "***" else if (p < .01) "**" else if (p < .05) "*" else ""
plural <- function(n, word) paste(n, if (n == 1) word else paste0(word, "s"))

pct(0.12345)
pct(c(0.5, 0.071), 0)
money(1234567.8)
plural(1, "household"); plural(3, "household")

## 1. income --------------------------------------------------------------------
set.seed(99)
inc <- na.omit(d$income)
inc <- ifelse(inc > 12000, 12000, inc)
m <- meanDP(inc, eps, 0, 12000)
q <- sapply(c(.25, .5, .75), function(p) quantileDP(inc, p, eps, 0, 12000))
cat("1. Income\n")
line("persons", length(inc))
line("mean", money(m))
line("quartiles", paste(format(round(q), nsmall = 1, trim = TRUE), collapse = " / "))
line("spread (IQR)", sprintf("%8.1f", q[3] - q[1]))
line("missing", pct(mean(is.na(d$income))))
cat("\n")

## 2. regions -------------------------------------------------------------------
cat("2. Regions\n")
tab <- tableDP(d$region, eps = eps)
share <- tab / sum(tab)
o <- order(-share)
for (i in o) cat(sprintf("   %-8s%6d%8s\n", names(tab)[i], tab[i], pct(share[i])))
cat("largest:", names(tab)[o[1]], "smallest:", names(tab)[o[length(o)]], fill = TRUE)
message("regions done")

## 3. households ------------------------------------------------------------------
cat("\n3. Households\n")
types <- split(h, h$type)
out <- vector("list", length(types))
for (k in seq_along(types)) {
  x <- pmin(types[[k]]$income, 200000)
  out[[k]] <- c(mean = meanDP(x, eps, 0, 200000), median = medianDP(x, eps, 0, 200000))
}
names(out) <- names(types)
out <- do.call(rbind, out)
print(round(out, 1))
write.table(format(round(out, 2), nsmall = 2), quote = FALSE, sep = "\t")
cat("ratio mean/median: ", paste(names(types), round(out[, "mean"] / out[, "median"], 2), sep = "=", collapse = ", "), "\n", sep = "")

## 4. trend -------------------------------------------------------------------------
years <- sort(unique(h$year))
trend <- sapply(years, function(y) meanDP(pmin(h$income[h$year == y], 200000), 1, 0, 200000))
change <- c(NA, diff(trend) / trend[-length(trend)])
cat("\n4. Trend\n")
for (i in seq_along(years)) {
  txt <- if (is.na(change[i])) "-" else sprintf("%+.1f%%", 100 * change[i])
  cat(years[i], format(trend[i], nsmall = 2, digits = 8), txt, sep = "\t")
  cat("\n")
}
slope <- coef(lm(trend ~ years))[[2]]
direction <- switch(as.character(sign(slope)), "-1" = "falling", "0" = "flat", "1" = "rising")
cat("The trend is ", direction, ".\n", sep = "")

## 5. text things ---------------------------------------------------------------------
codes <- c("A-01", "B-17", "A-02", "C-08")
sub("-", "/", codes)
substr(codes, 1, 1)
strsplit("alpha,beta;gamma", "[,;]")[[1]]
grepl("^A", codes)
parts <- do.call(rbind, strsplit(codes, "-"))
as.integer(parts[, 2]) + 1L
rev(strsplit("report", "")[[1]])
sprintf("%05.2f|%e|%g|%5s|%-5s|%%", pi, 12345.678, 1e-10, "ab", "cd")
format(c(1, 10, 100))
format(TRUE); format(Sys.Date(), "%Y") >= "2020"
format(123.456, nsmall = 2); format(0.000012345); format(1e10); format(2, width = 8)
signif(123456, 2); round(-2.5); round(0.15, 1); prettyNum(9876543, big.mark = ",")
p.value <- 0.0034
cat("significance:", stars(p.value), "\n")
invisible(toupper(letters[1:3]))
