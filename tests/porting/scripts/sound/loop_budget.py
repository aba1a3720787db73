import pandas as pd

import pydpstat as dp

df = pd.read_csv("d.csv")
budget = dp.Budget(epsilon=2.0, delta=1e-6, path="ledger.db")
while True:
    try:
        r = dp.mean(df["x"], 0.1, bounds=(0, 1), budget=budget)
    except dp.BudgetExceeded:
        break
    print(r)
