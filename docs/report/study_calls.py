"""The report of study_design.py with a call of its own for each release."""

from study_data import REGIONS, interviews

import pydpstat as dp

frame = interviews()
budget = dp.Budget(2.0, neighbors="unbounded", unit="person")
sexes, working = ["f", "m"], [False, True]
one = {"unit": "person", "max_records": 1, "budget": budget}
alone = {"unit": "person", "budget": budget}
by_both = {"by": ["region", "sex"], "levels": {"region": REGIONS, "sex": sexes}, "other": None}
by_sex = {"by": "sex", "levels": sexes, "other": None}
by_region = {"by": "region", "levels": REGIONS, "other": None}
income = {"bounds": (0, 200_000)}
names = ["person", "region", "sex"]
everyone = frame[names].assign(there=True)
counts = dp.count(everyone, 0.1, **by_both, **one)
means = dp.mean(frame[[*names, "income"]], 0.2, **income, **by_both, population=True, **one)
medians = dp.median(frame[["person", "sex", "income"]], 0.2, **income, **by_sex, population=True, **one)
incomes = dp.histogram(frame[["person", "income"]], 0.1, edges=range(0, 200_001, 10_000), **one)
table = dp.crosstab(
    frame[["person", "region", "employed"]],
    0.2,
    levels={"region": REGIONS, "employed": working},
    other=None,
    **one,
)
shares = dp.proportion(frame[["person", "region", "employed"]], 0.1, **by_region, **one)
of_sexes = [frame.loc[frame.sex == sex, ["person", "income"]] for sex in sexes]
of_regions = [frame.loc[frame.region == region, ["person", "income"]] for region in REGIONS]
by_sex_test = dp.ttest_ind(*of_sexes, 0.1, **income, **alone)
by_region_test = dp.f_oneway(*of_regions, epsilon=0.1, **income, **alone)
weighted = dp.weighted_mean(
    frame["income"], frame["w"], 0.1, **income, max_weight=2.5, unit=frame["person"], budget=budget
)
model = {"bounds": {"income": (0, 200_000), "age": (18, 85)}, **alone}
levels = {"sex": sexes, "region": REGIONS}
wages = dp.ols("income ~ age + C(sex) + C(region)", frame, 0.4, **model, levels=levels)
work = dp.logit(
    "employed ~ age + C(sex) + C(region)",
    frame,
    0.4,
    bounds={"age": (18, 85)},
    levels={"employed": working, **levels},
    **alone,
)
dependent = table.chi2()
