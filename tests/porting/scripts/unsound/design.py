import pandas as pd

from pydpstat import design

frame = pd.read_parquet("people.parquet")
people = design(frame, bounds={"income": (0, frame["income"].max())})  # finds: argument-from-data
people.mean("income", 0.5)
other = design(frame, levels={"job": frame["job"].unique()})  # finds: levels-from-data
budget = 1.0
assert 0.5 + 0.5 <= budget
other.count("job == 'cook'", 0.5)
