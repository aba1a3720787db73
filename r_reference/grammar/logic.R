!x %in% y; !a == b; !a & b; !!a; !a + b; -!a; a & !b | c; a && b || c; a || b && c
#----
a == -b; a < b + 1; (a < b) == c; a != !b; !a < b; a == !b & c; a ~ !b & c | d; a >= b && c <= d
#----
if (!any(is.na(x)) && length(x) > 0L || force) x else NULL
#----
a == b == c
#----
a < b + 1 <= c
#----
!a < b < c
