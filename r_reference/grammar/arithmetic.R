-2^2; -2:3; 2^-1; -a^b; -a$b^2; - - a; +-a; 2 ** 3; a ** -b ** c; a^b^c
#----
a + b * c - d / e; a - b - c; a / b / c; a * b / c; a %% b %/% c; a %in% b * c; -a %in% b; a:b + 1; -1:n; (-1):n
#----
a:b:c; a:b %in% c; a %o% b:c ^ 2; x %% 2 == 0; n - 1:n; 2 * 1:3; a %||% b; a %% b %any name, even this% c
#----
# operators at the end of a line join it with the next
total <- first +
  second *

  third
same <-
  # a comment between
  first
#----
(a
 + b)
a
+ b
