function() NULL; function(x) x; function(x, y) x + y; function(x = 1, ..., y) x; function(x, y = x * 2) { x - y }; function(`a b`, ..1) 1
#----
\(x) x^2; \() 1; \(x, y = 2) x + y; sapply(x, \(i) i + 1); (\(x) x)(2); (function(x) x)(2); function(x) -x; \(x) \(y) x + y
#----
function(x)
  x + 1
f <- function(a,
              b = c(1, 2),   # why
              ...
              )
{
  a
}
function
(x) x
#----
function(x) x -> y; function(x) function(y) x(y); a * function(x) x + 1; function(x) x(1)[2]; function(f = function(x) x, y = {1}) f; function(x) if (x) 1 else 2
#----
function(x = _) x
