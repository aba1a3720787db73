"""Ledgers in PostgreSQL: what they keep, their limits and names, and what may happen to the tables."""

import copy
import pickle

import pytest

from pydpstat import Budget, Guarantee, PydpstatError


def test_names_tell_ledgers_apart(url, connection):
    budgets = [Budget(1.0, url=url), Budget(2.0, url=url, name="a b&c"), Budget(3.0, url=f"{url}&name=d%20e")]
    for budget, epsilon in zip(budgets, (0.1, 0.2, 0.3)):
        budget.spend(Guarantee(epsilon), "mean(x)")
    for name, epsilon in {"budget": 1.0, "a b&c": 2.0, "d e": 3.0}.items():
        again = Budget.open(url=url, name=name)
        assert again.epsilon == epsilon and again.spent.epsilon == epsilon / 10
        assert Budget.open(url=again.url).epsilon == epsilon
    with pytest.raises(PydpstatError, match="url must be a ledger; there is none at .*name=none"):
        Budget.open(url=url, name="none")
    assert connection.execute("SELECT count(*) FROM pydpstat_ledgers").fetchone() == (3,)


def test_opening_makes_nothing(url, connection):
    with pytest.raises(PydpstatError, match="there is none at"):
        Budget.open(url=url)
    assert connection.execute("SELECT to_regclass('pydpstat_ledgers')").fetchone() == (None,)


@pytest.mark.parametrize(
    "change",
    [
        "DROP TABLE pydpstat_spends",
        "DROP TABLE pydpstat_spends, pydpstat_ledgers",
        "DELETE FROM pydpstat_spends",
        "TRUNCATE pydpstat_ledgers CASCADE",
        "ALTER TABLE pydpstat_spends DROP COLUMN label",
        "ALTER TABLE pydpstat_spends ADD COLUMN more text",
        "ALTER TABLE pydpstat_ledgers RENAME spent TO other",
        "ALTER TABLE pydpstat_ledgers ALTER spends TYPE text",
        "UPDATE pydpstat_ledgers SET format = 99",
    ],
)
def test_what_is_gone_or_altered_is_an_error_and_no_new_ledger(url, connection, change):
    budget = Budget(1.0, url=url)
    budget.spend(Guarantee(0.4), "mean(x)")
    stored = pickle.dumps(budget)
    connection.execute(change)
    for use in (lambda: Budget.open(url=url), lambda: pickle.loads(stored), lambda: copy.copy(budget)):
        with pytest.raises(PydpstatError, match="missing or was altered|there is none at|has format 99"):
            use()
    if "format" in change or "ADD" in change or "DELETE" in change or "ALTER spends" in change:
        return
    for use in (lambda: budget.spend(Guarantee(0.1), "mean(x)"), lambda: budget.entries):
        with pytest.raises(PydpstatError, match="missing or was altered.*Nothing is released"):
            use()


def test_half_a_ledger_is_not_completed(url, connection):
    Budget(1.0, url=url).spend(Guarantee(0.4), "mean(x)")
    for table in ("pydpstat_spends", "pydpstat_ledgers"):
        connection.execute(f"ALTER TABLE {table} RENAME TO kept")
        with pytest.raises(PydpstatError, match="missing or was altered"):
            Budget(1.0, url=url)
        connection.execute(f"ALTER TABLE kept RENAME TO {table}")
    assert Budget(1.0, url=url).spent.epsilon == 0.4


def test_another_ledger_in_its_place_is_noticed(url, connection):
    budget = Budget(1.0, url=url)
    budget.spend(Guarantee(0.9), "mean(x)")
    connection.execute("DROP TABLE pydpstat_spends, pydpstat_ledgers")
    Budget(1.0, url=url)
    for use in (lambda: budget.spend(Guarantee(0.05), "mean(x)"), lambda: budget.spent):
        with pytest.raises(PydpstatError, match="url must stay the same ledger"):
            use()
