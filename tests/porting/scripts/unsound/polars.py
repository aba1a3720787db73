import polars as pl

from pydpstat import design, histogram, mean

df = pl.read_csv("d.csv")
hi = float(df["x"].max())
for eps in (0.1, 0.2):
    pass
print(mean(df["x"], 0.4, bounds=(0.0, hi)))  # finds: argument-from-data
q = pl.read_parquet("q.parquet")
edges = [q["x"].min() + k for k in range(5)]
histogram(q["x"], 1.0, edges=edges)  # finds: argument-from-data
people = design(q, bounds={"x": (0, 1)})
people.mean("x", 1.0)
q.head()
print(q.describe())  # finds: raw-value
