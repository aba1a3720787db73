"""Ledgers in PostgreSQL: what they keep, their limits and names, and what may happen to the tables."""

import copy
import os
import pickle
import socket
from contextlib import suppress

import pytest

from pydpstat import Budget, BudgetExceeded, Guarantee, PydpstatError, count
from pydpstat.__main__ import main
from pydpstat.budget import _postgres
from pydpstat.privacy import GaussianLoss


def test_a_server_keeps_spends_and_limits(url):
    first = Budget(0.3, 1e-6, url=url)
    loss = GaussianLoss(0.2)
    first.spend(Guarantee(0.1, 1e-7, conditions=("é", "n is public"), loss=loss), "mean(x" + "x" * 9999 + ")")
    second = Budget(0.3, 1e-6, url=url)
    second.spend(Guarantee(0.2), "mean(\0y)", label="'); DROP TABLE pydpstat_spends; --")
    assert first.spent == second.spent == (0.3, 1e-7, None)
    with pytest.raises(BudgetExceeded, match="Nothing was released"):
        first.spend(Guarantee(0.1), "mean(z)")
    entries = Budget.open(url=url).entries
    assert entries == first.entries and len(entries) == 2
    assert len(entries[0].call) == 10_006 and entries[0].rho == loss.rho and entries[0].loss == repr(loss)
    assert entries[1].call == "mean(\\x00y)" and entries[1].label == "'); DROP TABLE pydpstat_spends; --"
    assert entries[1].process == os.getpid() and entries[0].host == socket.gethostname()
    assert first.path is None and first.url == second.url


def test_tables_of_the_format_before_have_lines_without_mechanisms(url, monkeypatch):
    with monkeypatch.context() as before:
        before.setitem(_postgres._TABLES, "pydpstat_spends", _postgres._EARLIER_SPENDS)
        before.setattr(_postgres, "_SPENDS", _postgres._EARLIER_SPENDS)
        before.setattr(_postgres, "FORMAT", 3)
        Budget(1.0, url=url)
    count([True] * 10, 0.25, budget=Budget(1.0, url=url))
    count([True] * 10, 0.25, budget=Budget(2.0, url=url, name="made later"))
    for name in ("budget", "made later"):
        (entry,) = Budget.open(url=url, name=name).entries
        assert entry.mechanism == "" and entry.epsilon == 0.25


@pytest.mark.parametrize("accountant", ["basic", "zcdp"])
def test_sums_are_those_of_a_ledger_in_memory(url, accountant):
    there, here = Budget(1.0, 1e-6, url=url, accountant=accountant), Budget(1.0, 1e-6, accountant=accountant)
    for _ in range(12):
        for budget in (there, here):
            with suppress(BudgetExceeded):
                budget.spend(Guarantee(0.1), "mean(x)")
    assert 0 < len(here.entries) < 12
    assert there.spent == here.spent and there.remaining == here.remaining
    assert [each.epsilon for each in there.entries] == [each.epsilon for each in here.entries]


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


@pytest.mark.parametrize(
    "other",
    [{"epsilon": 2.0}, {"delta": 1e-5}, {"accountant": "zcdp"}, {"neighbors": "unbounded"}, {"unit": "p"}],
)
def test_other_limits_are_named(url, other):
    limits = {"epsilon": 1.0, "delta": 1e-6}
    Budget(**limits, url=url)
    name, value = next(iter(other.items()))
    with pytest.raises(PydpstatError, match="was created with epsilon 1.0, delta 1e-06.*got ") as caught:
        Budget(**{**limits, **other}, url=url)
    assert f"{name} {value!r}" in str(caught.value).partition("; got")[2]


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


def test_an_entry_that_is_not_kept_is_no_spend(url, connection):
    budget = Budget(1.0, url=url)
    connection.execute(
        "CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'"
    )
    connection.execute(
        "CREATE TRIGGER swallow BEFORE INSERT ON pydpstat_spends FOR EACH ROW EXECUTE FUNCTION swallow()"
    )
    with pytest.raises(PydpstatError, match="missing or was altered"):
        budget.spend(Guarantee(0.4), "mean(x)")
    assert budget.spent.epsilon == 0.0 and not budget.entries


def test_pickles_open_the_same_ledger(url):
    budget = Budget(1.0, 1e-6, None, "zcdp", "unbounded", url=url, name="survey")
    for again in (pickle.loads(pickle.dumps(budget)), copy.copy(budget), copy.deepcopy(budget)):
        again.spend(Guarantee(0.01, neighbors="unbounded"), "count(x)")
        assert again.url == budget.url and budget.spent == again.spent
        assert again.epsilon == 1.0 and again.delta == 1e-6
        assert again.accountant == "zcdp" and again.neighbors == "unbounded"
    assert len(budget.entries) == 3


def test_the_command(url, capsys):
    budget = Budget(1.0, url=url, name="survey")
    budget.spend(Guarantee(0.25), "mean(income)")
    assert main(["budget", budget.url]) == 0
    assert "mean(income)" in capsys.readouterr().out
    assert main(["budget", budget.url, "--json"]) == 0
    assert capsys.readouterr().out == budget.to_json()
    assert main(["budget", f"{url}&name=none"]) == 1
    assert "there is none at" in capsys.readouterr().err
