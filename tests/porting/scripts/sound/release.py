import pandas as pd

import pydpstat as dp

df = pd.read_csv("survey.csv")
r = dp.mean(df["age"], 0.5, bounds=(0, 100))
print(r.summary(), len(df), df.shape, list(df.columns))
r.to_frame().to_csv("mean.csv")
