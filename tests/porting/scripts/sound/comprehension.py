import pandas as pd

from pydpstat import mean

EPSILON = 0.9
BOUNDS = {"a": (0, 1), "b": (0, 10), "c": (-5, 5)}
df = pd.read_csv("d.csv")
results = {name: mean(df[name], EPSILON / len(BOUNDS), bounds=limits) for name, limits in BOUNDS.items()}
for name, result in results.items():
    print(name, round(result.value, 2))
pd.DataFrame({"name": list(results), "value": [r.value for r in results.values()]}).to_csv("out.csv", index=False)
