x |> f(); x |> f(y); x |> f() |> g(z); x |> f(y = _); x |> f(a, y = _, z); x |> a::b(); x |> a$b(c); a + b |> f(); a:b |> f(); x |> (\(y) y + 1)()
#----
x |>
  f() |>
  # then
  g(a = 1)
y <- x |> f() |> g(data = _)
-x |> f(); !x |> f(); x %in% y |> f(); x |> f() %in% y; x |> f()^2
#----
quote(x |> f()); x |> function(y) y
#----
x |> f
#----
x |> f(_)
#----
x |> f(a = _, b = _)
#----
x |> _()
#----
x |> f() + 1 |> g
#----
f(_)
#----
x |> (f)
#----
x |> f()$a
#----
x => y
