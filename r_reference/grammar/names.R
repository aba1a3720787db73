x; .x; ..x; ...; ..1; ..12; x.y; x_y; x1; .; ._; `a`; `a b`; `if`; `a\`b`; `a\\b`; `\x41`; `1`; TRUE1; function1; ifelse; Inf1; é; ünï_cödé; 変数; été$forêt; in_; r; R; rr
#----
`function`(x, y); `if`(a, b); `+`(1, 2); `{`(a); `[[`(x, 1); `my var`$`b c`; `<-`(a, 1); `_`; `NULL`; `"x"`
#----
``
#----
f("" = 1)
#----
""(x)
#----
_x
#----
x²
#----
.5x
#----
x y
#----
in
#----
else
