for (i in 1:10) x; for (`a b` in x) { y }; while (TRUE) next; repeat break; while (a) { if (b) break else next }; for (i in x) for (j in y) z
#----
for (i in
     x)
  y
while (a)

  b
repeat
  {
    c
  }
for
(i in x) {}
#----
x <- for (i in 1) i; a + while (b) c + d; -repeat x + 1; for (i in function(x) x) y; while ({a; b}) c; repeat repeat break; next; break
#----
for (i in x, y) z
#----
for ("i" in x) y
#----
for (i = 1) x
#----
while () x
