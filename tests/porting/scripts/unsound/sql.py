import sqlite3

import pandas as pd

from pydpstat import count, mean
from pydpstat import sum as dp_sum

con = sqlite3.connect("people.db")
people = pd.read_sql_query("select * from people", con)
cap = people.income.quantile(0.999)
print(dp_sum(people.income, 1.0, bounds=(0, cap)))  # finds: argument-from-data
other = pd.read_sql("select * from visits", con)
print(mean(other.cost, 1.0, bounds=(0, 100)), count(other.cost > 3, 1.0))  # finds: repeated
