import argparse

import pandas as pd

import pydpstat as dp


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("path")
    args = parser.parse_args()
    frame = pd.read_csv(args.path, usecols=["age", "sex"])
    assert not frame.empty, "no records"
    with dp.Budget(1.0) as budget:
        age = dp.mean(frame.age, 0.5, bounds=(0, 110))
        sex = dp.crosstab(frame.sex, 0.5, levels=["f", "m"])
    print(f"mean age {age.value:.1f}", sex.to_frame(), budget, sep="\n")


if __name__ == "__main__":
    main()
