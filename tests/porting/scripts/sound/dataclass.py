from dataclasses import dataclass

import pandas as pd

import pydpstat as dp


@dataclass
class Plan:
    epsilon: float
    low: float
    high: float


plan = Plan(0.5, 0, 100)
df = pd.read_csv("d.csv")
print(dp.mean(df["age"], plan.epsilon, bounds=(plan.low, plan.high)))
