"""A report of 200,000 persons from one design: tables, tests and models under one budget for persons."""

from study_data import REGIONS, interviews

import pydpstat as dp

budget = dp.Budget(2.0, neighbors="unbounded", unit="person")
people = dp.design(
    interviews(),
    bounds={"income": (0, 200_000), "age": (18, 85), "w": (0, 2.5)},
    levels={"region": REGIONS, "sex": ["f", "m"], "employed": [False, True]},
    weights="w",
    other=None,
    budget=budget,
)
counts = people.count(0.1, by=["region", "sex"])
means = people.mean("income", 0.2, by=["region", "sex"], population=True)
medians = people.median("income", 0.2, by="sex", population=True)
incomes = people.histogram("income", 0.1, edges=range(0, 200_001, 10_000))
table = people.crosstab(["region", "employed"], 0.2)
shares = people.proportion("employed", 0.1, by="region")
sexes = people.ttest_ind("income ~ sex", 0.1)
regions = people.f_oneway("income ~ region", 0.1)
weighted = people.weighted_mean("income", 0.1)
wages = people.ols("income ~ age + C(sex) + C(region)", 0.4)
work = people.logit("employed ~ age + C(sex) + C(region)", 0.4)
dependent = table.chi2()
