import numpy as np
import pandas as pd

import pydpstat as dp


def main(path="people.parquet"):
    frame = pd.read_parquet(path)
    people = dp.design(frame, bounds={"income": (0, 200_000)}, levels={"sex": ["f", "m"]}, budget=dp.Budget(1.0))
    young = people.subset("age < 30")
    print(young.mean("income", 0.25, by="sex"), people.count(epsilon=0.25))
    result = people.ols("income ~ sex", 0.5)
    print(result.summary(), np.round(result.params, 1))


if __name__ == "__main__":
    main()
