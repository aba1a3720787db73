y ~ x; ~ x; y ~ x + (1 | g); y ~ 0 + log(x) * z - 1; ~ a ~ b; a ~ b ~ c; x <- y ~ z -> w; a || b ~ c; x + ~ a ~ b; y ~ . - 1 | g
#----
?mean; ?stats::mean; ??help; class?methods; a ? b ? c; -?a; ?-a; a + ?b = c; f(?a, x ? y); if (a ? b) c; if (a) b ? c
#----
function(x) y ? z; \(x) x ? y; repeat a ? b; while (a) b ? c
