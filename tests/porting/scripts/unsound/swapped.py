import pandas as pd

import pydpstat as dp

income = pd.read_csv("d.csv")["income"]
dp.ttest_1samp(income, 0.5, 20000, bounds=(0, 100000))  # finds: epsilon
other = pd.read_csv("e.csv")["x"]
dp.mean(other, epsilon=1000, bounds=(0, 1))  # finds: epsilon
