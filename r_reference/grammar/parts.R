x[1]; x[]; x[,]; x[, 1]; x[1, ]; x[1, , drop = FALSE]; x[[1]]; x[["a"]][[2]]; x[[]]; x[[, 1]]; x[y[1]]; x[[y[[1]]]]; x[y[[1]]]; x[[y[1]]]
#----
x$a; x$"a"; x$`a b`; x@slot; x@"slot"; x$a$b@c[1]; x$a(b); x$a[[1]](c); -x$a; !x@b; f()$a; (x)$b; "a"$b; x$
  y
#----
stats::sd; stats:::sd(x); "stats"::sd; stats::"sd"; 'a':::'b'; stats::sd(x)$y; `a b`::`c d`; -a::b; a::b^c::d; x[a::b]
#----
x[
  1,
  2
]
x[[ 1
]]
x[[1]
]
x [1] [[2]]
x
[1]
#----
x[[1]
