f(); f(a); f(a, b); f(a = 1, b); f(, a); f(a, ); f(,); f(a = ); f(a = , b = ); f("a" = 1, 'b c' = 2, `d e` = 3, NULL = 4, NULL = )
#----
f(...); f(..1, ..2); f(g(h(x))); (f)(x); f(x)(y)(z); "f"(x); 'g'(1)(2); `my f`(x); NULL(x); 5(3); f(x)$y(z)[1]; {f}(x); next(1)
#----
f(
  a,   # first

  b =

    2
  ,
  c
)
f (x)
f
(x)
#----
f(function(x) x, if (a) b else c, {d; e}, g = function(y) { y
}, !h)
#----
f(if (a) b, c)
f(if (a) if (b) c,
  d)
f(if (a) b
  , c)
f(if (a) b
  else c)
f(x, if (a) b
)
