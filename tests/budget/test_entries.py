"""Entries: whole, labeled, and exported."""

import csv
import io
import json
import math
import os
import socket
import threading
import time
from dataclasses import astuple

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat import Budget, Guarantee, PydpstatError
from pydpstat.__main__ import main
from pydpstat.budget._entry import ENTRY_COLUMNS
from pydpstat.privacy import GaussianLoss

LONG = "mean(" + ", ".join(f"column{number}" for number in range(500)) + ")"


@pytest.fixture
def budget(place):
    return Budget(10.0, 1e-3, **place)


def fill(budget):
    budget.spend(Guarantee(0.1, conditions=("n is public", "no value is missing")), LONG, label='a "b", c\nd')
    budget.spend(Guarantee(1 / 3, 1e-7, loss=GaussianLoss(0.2)), "mean(é)", label="")
    budget.spend(Guarantee(0.1, 1e-7), "a pair")


def test_an_entry_is_whole(budget):
    before = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    fill(budget)
    first, second, third = budget.entries
    assert first.call == LONG and first.label == 'a "b", c\nd' and first.epsilon == 0.1
    assert first.conditions == "n is public\nno value is missing" and first.neighbors == "bounded"
    assert first.unit is None
    assert second.epsilon == 1 / 3 and second.rho == Guarantee(1.0, 1e-7, loss=GaussianLoss(0.2)).rho
    assert second.loss == repr(GaussianLoss(0.2)) and second.delta == 1e-7 and third.rho is None
    assert first.process == os.getpid() and first.host == socket.gethostname()
    assert before <= first.time <= time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def test_what_no_database_keeps_is_written_out(budget):
    budget.spend(Guarantee(0.1), "count(a\0b)", label="half \ud800 a pair")
    assert [(each.call, each.label) for each in budget.entries] == [("count(a\\x00b)", "half \\ud800 a pair")]


class OddLoss(GaussianLoss):
    """A loss of somebody's own, whose rho no database gives back."""

    @property
    def rho(self):
        return self.odd


@pytest.mark.parametrize("odd", [math.nan, math.inf, -0.0, np.float64(0.25), "a text"], ids=str)
def test_a_ledger_gives_back_what_it_got(budget, odd):
    loss = OddLoss(0.2)
    object.__setattr__(loss, "odd", odd)
    budget.spend(Guarantee(np.float64(0.5), -0.0, loss=loss), "a release")
    known = float(odd) if odd in (0.0, 0.25) else None
    assert [(each.epsilon, each.delta, each.rho) for each in budget.entries] == [(0.5, 0.0, known)]
    assert json.loads(budget.to_json())["entries"][0]["rho"] == known


def test_a_frame_has_sensible_types(budget):
    for rows in (0, 3):
        if rows:
            fill(budget)
        frame = budget.to_frame()
        assert tuple(frame.columns) == ENTRY_COLUMNS and len(frame) == rows
        assert [str(frame[name].dtype) for name in ("epsilon", "delta", "rho")] == ["float64"] * 3
        assert str(frame["time"].dtype) == "datetime64[ns, UTC]" and str(frame["process"].dtype) == "int64"
        assert str(frame["neighbors"].dtype) == "category"
        texts = ("call", "label", "loss", "conditions", "host")
        assert {str(frame[name].dtype) for name in texts} == {"string"}
    assert frame["epsilon"].tolist() == [0.1, 1 / 3, 0.1] and math.isnan(frame["rho"][2])
    assert frame["call"][0] == LONG
    assert frame["time"].dt.strftime("%Y-%m-%dT%H:%M:%SZ").tolist() == [each.time for each in budget.entries]


def test_csv_reads_back_as_it_was(budget, tmp_path):
    fill(budget)
    text = budget.to_csv()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["call"] for row in rows] == [LONG, "mean(é)", "a pair"]
    assert [float(row["epsilon"]) for row in rows] == [0.1, 1 / 3, 0.1] and rows[2]["rho"] == ""
    assert pd.read_csv(io.StringIO(text))["label"][0] == 'a "b", c\nd'
    (tmp_path / "new").mkdir()
    assert budget.to_csv(tmp_path / "new" / "ledger.csv") is None
    # as bytes: nothing is translated
    assert (tmp_path / "new" / "ledger.csv").read_bytes().decode() == text
    assert os.listdir(tmp_path / "new") == ["ledger.csv"]


def test_json_reads_back_as_it_was(budget, tmp_path):
    fill(budget)
    found = json.loads(budget.to_json())
    assert found == budget.to_dict()
    assert [tuple(each.values()) for each in found["entries"]] == [astuple(each) for each in budget.entries]
    assert found["epsilon"] == 10.0 and found["accountant"] == "basic" and found["delta"] == 1e-3
    assert found["spent"] == {"epsilon": budget.spent.epsilon, "delta": 2e-7, "rho": None}
    assert budget.to_json(str(tmp_path / "ledger.json")) is None
    assert json.loads((tmp_path / "ledger.json").read_text(encoding="utf-8")) == found


@pytest.mark.parametrize("path", ["", 3, b"a", "a\0b"])
def test_exports_need_a_file_name(budget, path):
    for export in (budget.to_csv, budget.to_json):
        with pytest.raises(PydpstatError, match="path must be a file name"):
            export(path)


def test_an_export_that_cannot_be_written_is_an_error(budget, tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(PydpstatError, match="path must be a file that can be written.*folder"):
        budget.to_csv(tmp_path / "folder")


def test_the_command_shows_and_exports(shared, capsys):
    budget = Budget(10.0, 1e-3, **shared)
    fill(budget)
    place = budget.path or budget.url
    for option, told in (
        ([], f"{budget.summary()}\n"),
        (["--csv"], budget.to_csv()),
        (["--json"], budget.to_json()),
    ):
        assert main(["budget", place, *option]) == 0
        assert capsys.readouterr().out == told
    assert place in budget.summary().as_text()
    with pytest.raises(SystemExit):
        main(["budget", place, "--json", "--csv"])
    none = place.replace("name=budget", "name=none") if budget.url else f"{place}.none"
    assert main(["budget", none]) == 1
    assert ("there is none at" if budget.url else "there is no file") in capsys.readouterr().err


def test_labels_of_blocks(budget):
    other = Budget(1.0)
    with budget.labeled("outer"):
        pydpstat.count([True], 0.1, budget=budget)
        with budget.labeled("inner"), other.labeled("other"):
            pydpstat.count([True], 0.1, budget=budget)
            pydpstat.count([True], 0.1, budget=other)
            budget.spend(Guarantee(0.1), "own", label="given")
            budget.charge(pydpstat.count([True], 0.1))
        budget.charge(pydpstat.count([True], 0.1), label="charged")
        pydpstat.count([True], 0.1, budget=budget)
    pydpstat.count([True], 0.1, budget=budget)
    labels = [each.label for each in budget.entries]
    assert labels == ["outer", "inner", "given", "inner", "charged", "outer", ""]
    assert [each.label for each in other.entries] == ["other"]


def test_a_label_ends_with_an_error_and_stays_in_its_thread(budget):
    with pytest.raises(KeyError), budget.labeled("lost"):
        raise KeyError
    with budget.labeled("here"):
        thread = threading.Thread(target=lambda: budget.spend(Guarantee(0.1), "there"))
        thread.start()
        thread.join()
    budget.spend(Guarantee(0.1), "after")
    assert [each.label for each in budget.entries] == ["", ""]


def test_a_label_is_a_text(budget):
    with pytest.raises(PydpstatError, match="label must be a string; got int"):
        budget.spend(Guarantee(0.1), "mean(x)", label=3)
    with pytest.raises(PydpstatError, match="label must be a string; got NoneType"), budget.labeled(None):
        pass
    assert not budget.entries


def test_a_summary_shows_labels(budget):
    budget.spend(Guarantee(0.1), "mean(x)", label="income tables")
    text = budget.summary().as_text()
    assert "income tables" in text and "mean(x)" not in text
