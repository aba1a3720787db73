"""Classes of R's and Python's functions by their effect on the privacy of data."""

from __future__ import annotations

# prefixes of functions that read records, except for those that read settings
READER_PREFIXES = (
    "read",
    "scan",
    "fread",
    "load_",
    "fetch_",
    "loadtxt",
    "genfromtxt",
    "dbGet",
    "dbRead",
    "tbl",
)
SETTINGS_READERS = set(
    "readline readRenviron read_yaml read.dcf read_json_schema scan_packages load_dotenv load_all".split()
)
# R's data sets that are available without an assignment
BUILT_IN_DATA = set(
    "iris mtcars airquality ToothGrowth women faithful chickwts warpbreaks esoph infert InsectSprays "
    "PlantGrowth sleep trees cars quakes attitude stackloss swiss USArrests ChickWeight CO2 Titanic "
    "HairEyeColor UCBAdmissions diamonds mpg penguins rivers precip islands morley rock pressure "
    "longley".split()
)
# properties of the data that are treated as public: number, names and types
PUBLIC_PROPERTIES = set(
    "length nrow NROW ncol NCOL dim names colnames class typeof is.null is.numeric is.factor is.character "
    "is.data.frame is.vector inherits exists missing nargs len shape size ndim columns dtypes dtype type "
    "isinstance callable file.exists seq_along library require requireNamespace stopifnot assert set.seed "
    "rm gc data options setwd Sys.time Sys.Date stop warning quit detach".split()
)
# properties that are numbers of records
SIZE_FUNCTIONS = set("length nrow NROW dim len shape size".split())
# functions that return the number of records in a group
GROUP_SIZE_FUNCTIONS = {"n"}
# summaries whose values are labels that occur in the data
LABEL_FUNCTIONS = set("unique levels distinct drop_duplicates value_counts set".split())
# tests of which values are missing
MISSINGNESS_TESTS = set("is.na is.nan is.finite complete.cases isna isnull notna".split())
# functions with one result for all records
SUMMARIES = set(
    "mean sd var std median min max range sum prod quantile cor cov mad IQR fivenum table prop.table "
    "tabulate unique levels nlevels nunique value_counts which.max which.min any all mode weighted.mean "
    "colMeans colSums rowsum summary lm glm t.test wilcox.test aov density ecdf anova chisq.test cor.test "
    "shapiro.test set sorted describe percentile nanmean nanmin nanmax nanstd amin amax average histogram "
    "histogram_bin_edges ptp sem skew kurt idxmax idxmin pretty nclass.Sturges ols OLS logit Logit "
    "linregress ttest_ind n_distinct distinct count crossprod".split()
)
# functions with one result per record
RECORDWISE = set(
    "+ - * / ^ %% %/% & && | || ! == != < > <= >= operator [ ifelse pmin pmax log log10 log1p exp sqrt "
    "round abs floor ceiling is.na is.nan is.finite na.omit as.numeric as.integer as.character as.logical "
    "as.vector as.data.frame as_tibble tibble data.table as.matrix as.Date unlist subset filter mutate "
    "transform select data.frame cbind rbind merge matrix c list rev complete.cases drop_na replace "
    "rename slice within arrange bind_rows bind_cols left_join inner_join group_by ungroup split groupby "
    "unsplit stack pull between clamp astype to_numpy to_list tolist values clip dropna fillna isna notna "
    "isnull loc iloc where map copy query assign drop reset_index set_index sort_values array asarray "
    "Series DataFrame from_dict concat to_frame ravel reshape squeeze with_columns collect lazy to_pandas "
    "isin as.factor relevel droplevels factor cut Categorical set_categories unclass setNames I identity "
    "invisible suppressWarnings suppressMessages na_if coalesce case_when recode nchar trimws tolower "
    "toupper substr strtoi sign trunc signif fill_null replace_na if_else mask items keys "
    "enumerate zip %in% nest_by group_split".split()
)
# functions that return their first argument
IDENTITY_FUNCTIONS = set(
    "identity invisible suppressWarnings suppressMessages force I try tryCatch withCallingHandlers local "
    "evalq as.vector unname".split()
)
# functions for which each result depends on all records
MIXERS = set("scale rank percent_rank ntile zscore fit_transform standardize normalize ave cumsum".split())
CONTAINER_FUNCTIONS = set(
    "data.frame DataFrame tibble data.table list dict from_dict Series array asarray matrix".split()
)
# accessors of a data frame that return the data frame itself
ACCESSORS = ("loc", "iloc", "at", "iat", "values")
COLUMN_CHANGES = set("mutate transform within assign cbind data.frame DataFrame tibble with_columns".split())
# functions that select records by labels
LABEL_SELECTIONS = set("== %in% isin in [ filter subset query".split())
GROUPINGS = set("split groupby group_by group_split nest_by".split())
# functions with one result per group
TABLES = set("table xtabs rowsum value_counts crosstab aggregate tally count".split())
FILTERS = set("filter subset slice query".split())
ROW_SELECTIONS = FILTERS | set("na.omit dropna drop_na drop_nulls".split())
# functions that remove missing values, unless they are an argument
MISSINGNESS_REMOVERS = ROW_SELECTIONS | set(
    "ifelse if_else replace where mask fillna fill_null coalesce replace_na case_when".split()
)
ROUNDINGS = set("round signif floor ceiling trunc as.integer int sprintf format formatC prettyNum".split())
# random numbers: the values are not data unless they are released
DRAWS = set(
    "rnorm runif rexp rgamma rbinom rpois rlnorm rbeta rt rchisq rgeom rlaplace rlap sample sample.int "
    "rweibull normal uniform laplace lognormal exponential poisson binomial integers choice "
    "standard_normal random geometric gamma beta randint mvrnorm rmultinom".split()
)
SIGN_GEOMETRIC = "noise sign * rgeom"
NOISE_KINDS = {
    f"noise {name}" for name in "rnorm rlaplace rlap rexp rgeom normal laplace geometric standard_normal".split()
} | {SIGN_GEOMETRIC}
# functions that transform uniform numbers to noise
NOISE_TRANSFORMS = set("log log1p log2 qnorm qexp qlaplace ppf".split())
# functions that R's models look up in the script
MODEL_FUNCTIONS = ("rgamma", "optim")

PRINTS = set("print cat message writeLines str View display print.data.frame knit_print kable info".split())
WRITES = set(
    "write.csv write.csv2 write.table write saveRDS save dput dump write_csv write_tsv write_rds fwrite "
    "write.xlsx write_xlsx write_parquet to_csv to_excel to_json to_parquet to_pickle to_latex to_html "
    "to_sql savetxt write_text write_delim stargazer save.image writelines dbWriteTable".split()
)
PLOTS = set(
    "plot hist boxplot barplot lines points pie pairs stripchart scatter bar ggsave violinplot ggplot qplot "
    "histplot kdeplot scatterplot plot_ly".split()
)
# plots that return statistics of the data
PLOTS_WITH_FIGURES = {"hist", "boxplot", "barplot"}
# kind of a release of a raw value by the effects of a condition
DECISION = "if"
# functions whose results R does not show at top level, as they are invisible
INVISIBLE_RESULTS = PRINTS | WRITES | PLOTS | set("invisible library require load attach assign fit".split())

_PURRR_SUFFIXES = " _dbl _int _chr _lgl _dfr _dfc _df _vec".split(" ")
_PURRR_MAPS = [f"{name}{kind}" for name in "map map2 imap pmap future_map".split() for kind in _PURRR_SUFFIXES]
APPLY_FUNCTIONS = set(
    "sapply lapply vapply Map mapply apply tapply by aggregate across mclapply parLapply parSapply agg walk "
    "walk2 iwalk pwalk Reduce reduce outer Filter keep discard map_if map_at group_map group_modify".split()
).union(_PURRR_MAPS)
# apply functions that iterate over several vectors, and those that iterate over a list of vectors
APPLIES_TO_SEVERAL = {"Map", "mapply", "walk2", *(name for name in _PURRR_MAPS if name.startswith("map2"))}
APPLIES_TO_LIST = {"pwalk", *(name for name in _PURRR_MAPS if name.startswith("pmap"))}
# apply functions that pass the previous result
FOLDS = {"Reduce", "reduce"}
# apply functions that return a list
LIST_APPLIES = {"lapply", "Map", "mclapply", "parLapply", "map", "map2", "imap", "pmap", "future_map"}
# the iterated argument, the apply functions' own arguments, and the number of unnamed ones
ITERABLE_ARGUMENTS = set("X .x object x".split())
APPLY_ARGUMENTS = set(
    "FUN.VALUE SIMPLIFY simplify USE.NAMES MoreArgs .id .progress .options mc.cores cl MARGIN how".split()
)
N_SKIPPED = {"vapply": 1, "apply": 1, "parLapply": 1, "parSapply": 1}
GROUP_APPLIES = set("tapply by aggregate".split())
COMPARISONS = set("< <= > >= == != identical all.equal isclose stopifnot".split())
SUMMARIZERS = {"summarise", "summarize", "reframe", "with"}
# functions that define classes with methods
CLASS_DEFINITIONS = {"setRefClass", "R6Class", "setClass"}
# mark of an omitted statement
TOO_DEEP = "\0deep"
# reasons for which a call cannot be followed
UNFOLLOWED_REASONS = {
    TOO_DEEP: "it is nested too deeply",
    "source": "the file that it runs is not read",
    "eval": "what it runs is computed",
    "exec": "what it runs is computed",
    "assign": "the name that it assigns is computed",
    "sys.source": "the file that it runs is not read",
}
