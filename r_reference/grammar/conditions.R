if (a) b; if (a) b else c; if (a) b else if (c) d else e; if (a) if (b) c else d; x <- if (a) b else c; if (a) b + 1; -if (a) b else c; if (a) function(x) x else y
#----
if (a)
  b
if (a) {
  b
} else {
  c
}
if (a) b else

  c
if
(a) b
#----
{
  if (a) b
  else c

  if (a) if (b) c
  else d
  else e
  if (a)

    b

  # a comment

  else
    c
  if (a) { b }
  d
}
#----
(if (a) b
else c)
x[if (a) b
else c]
{ if (a) if (b) c; d
  e }
function(x) {
  if (x) return(1)
  -x
}
#----
if (a) b
else c
#----
{ if (a) b; else c }
#----
if (a) b else
