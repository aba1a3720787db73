"""Every method of a design on neighboring data: containers, odd labels and numbers, and equal levels.

The noisy values are drawn for the first data, and come out for the second, too: what a later stage asks then
follows from what an earlier one released. ``python -m tests.neighbors.designs`` prints how far all of it
moves.
"""

import datetime as dt
import itertools
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

import pydpstat
from pydpstat._data.values import is_missing
from pydpstat.designs._signatures import GROUP_METHODS
from tests.designs.method_calls import BOUNDS, CASES, sized
from tests.neighbors.design_containers import CONTAINERS, Container, is_listed
from tests.neighbors.engine import Case, farthest, judged, pair
from tests.neighbors.kinds import INF, LABELS, NAN, SNAN, Kind, Raises, array, objects, series

Ask = Callable[[Callable[..., Any]], Any]
# blocks and ties are drawn from a seed, without a look at the data
_SEEDED = (*GROUP_METHODS, "any_interval", "any_test", "kendalltau", "kstest", "wilcoxon")
_UNIT = {"unit": "person", "max_records": 2}
_GAUSS = {"mechanism": "gaussian", "delta": 1e-3}


@dataclass(frozen=True)
class Way:
    """A call of a method, and whether its design has bounded neighbors."""

    name: str
    ask: Ask
    bounded: bool

    @property
    def method(self) -> str:
        """The method's name."""
        return self.name.split(",")[0]

    @property
    def rests_on_groups(self) -> bool:
        """Whether who is in which group is public."""
        return self.method in GROUP_METHODS


_BY: dict[str, Ask] = {
    "std": lambda how: how().std("income", 0.5, by="region"),
    "var": lambda how: how().var(["income", "age"], 0.5, by="region"),
    "sum": lambda how: how().sum(["income", "age"], 0.5, by=["region", "sex"]),
    "cov": lambda how: how().cov(["income", "age"], 0.5, by="region"),
    "corr": lambda how: how().corr(["income", "age"], 0.5, by="sex"),
    "count": lambda how: how().count(0.5, by="region"),
    "proportion": lambda how: how().proportion("employed", 0.5, by="region"),
    "median": lambda how: how().median("income", 0.5, by="sex"),
    "quantile": lambda how: how().quantile("income", 0.3, 0.5, by="region"),
    "quantiles": lambda how: how().quantiles("income", [0.2, 0.8], 0.5, by="sex"),
    "histogram": lambda how: how().histogram("income", 0.5, edges=[0, 2, 5, 10], by="region"),
    "moments": lambda how: how().moments("income", 0.5, by="sex"),
    "nunique": lambda how: how().nunique("person", 0.5, by="region", max_groups=2),
    "weighted_mean": lambda how: how(weights="w").weighted_mean("income", 0.5, by="region"),
    "weighted_total": lambda how: how(weights="w").weighted_total("income", 0.5, by="region"),
    "weighted_proportion": lambda how: how(weights="w").weighted_proportion("employed", 0.5, by="sex"),
    "weighted_quantile": lambda how: how(weights="w").weighted_quantile("income", 0.5, 0.5, by="sex"),
}
_GAUSSIAN: dict[str, Ask] = {
    "mean": lambda how: how().mean(["income", "age"], 3.0, by="region", **_GAUSS),
    "sum": lambda how: how().sum("income", 3.0, by="sex", **_GAUSS),
    "cov": lambda how: how().cov(["income", "age"], 3.0, **_GAUSS),
    "crosstab": lambda how: how().crosstab(["region", "sex"], 3.0, **_GAUSS),
    "count": lambda how: how().count(3.0, by="region", **_GAUSS),
    "nunique": lambda how: how().nunique("region", 3.0, **_GAUSS),
}
_MORE: dict[str, Ask] = {
    "weighted_mean, strata": lambda how: how(weights="w", strata="region").weighted_mean("income", 0.5),
    "weighted_total, strata": lambda how: how(weights="w", strata="sex").weighted_total("income", 0.5),
    "weighted_proportion, strata": lambda how: (
        how(weights="w", strata="region").subset("age > 50").weighted_proportion("employed", 0.5)
    ),
    "ttest_1samp, cubes": lambda how: how().ttest_1samp("income", 0, 5.0),
    "nunique, of labels": lambda how: how().nunique("region", 0.5),
    "chi2_contingency, unbounded": lambda how: how().chi2_contingency(["region", "sex"], 0.5),
    "ols, levels": lambda how: how().ols("income ~ C(region) + age", 2.0),
    "logit, levels": lambda how: how().logit("employed ~ C(region)", 2.0),
    "mean, units": lambda how: how(**_UNIT).mean("income", 0.5, by="region"),
    "crosstab, units": lambda how: how(**_UNIT).crosstab(["region", "employed"], 0.5),
    "chisquare, units": lambda how: how(unit="person").chisquare("region", 0.5),
    "mean, subset": lambda how: how().subset("age > 30 or age < 3").mean("income", 0.5, by="region"),
    "count, subset": lambda how: how().subset("employed and income >= 2").count(0.5, by="sex"),
    "count, condition": lambda how: how().count("income > 4.25 and not employed", 0.5),
    "mean, assigned": lambda how: how().assign(high="income > 3").mean("age", 0.5, by=["high", "region"]),
    "sum, computed": lambda how: how().assign(y="income * age + 1").sum("y", 0.5, by="region"),
    "count, subset of a level": lambda how: how().subset(f"region == {how.level!r}").count(0.5),
    "mean, subset without a level": lambda how: how().subset(f"not region != {how.level!r}").mean("age", 0.5),
    "median, subset": lambda how: how().subset("income != 5").median("income", 0.5),
    "moments, levels": lambda how: how().moments(["income", "age"], 0.5, by=["region", "sex"]),
}


def ways() -> list[Way]:
    """Return every method as it is asked elsewhere, and by group, with normal noise, and of what is made."""
    found = [Way(name, ask, (ask.__defaults__ or ())[0] is sized) for name, (ask, _) in CASES.items()]
    found += [Way(f"{name}, by group", ask, False) for name, ask in _BY.items()]
    found += [
        Way(f"{name}, by group, bounded", _BY[name], True)
        for name in ("sum", "cov", "count", "quantile", "histogram", "weighted_mean", "moments")
    ]
    found += [Way(f"{name}, normal noise", ask, False) for name, ask in _GAUSSIAN.items()]
    # groups of 12 records release cubes from an epsilon of 11.6 on
    found.append(Way("ttest_ind, cubes", lambda how: how().ttest_ind("income ~ sex", 20.0), True))
    return found + [Way(name, ask, False) for name, ask in _MORE.items()]


_NOON, _DAY = dt.datetime(2020, 1, 1, 12), dt.date(2020, 1, 1)
_TIME, _UTC = pd.Timestamp(_NOON), pd.Timestamp(_NOON, tz="UTC")
_ODDITIES = ([1], {"a": 1}, Raises(), 10**400, b"a", ("a",), np.timedelta64(1, "s"), INF)
_GONE = (None, NAN, pd.NA, pd.NaT, Decimal("NaN"), SNAN, np.datetime64("NaT"), np.ma.masked)


def _lists(name: str, base: tuple[Any, ...], odd: tuple[Any, ...], levels: tuple[Any, ...] = ()) -> Kind:
    return Kind(name, list, base, odd, _GONE[:4], levels or base[:2])


# labels in lists, all of one type but for a record that would give all of them another
_BEYOND = (2**53 + 1, 7, 2**53)
MIXED = (
    _lists("integers beyond floats", _BEYOND, (0.5, float(2**53), "7", 2**70), _BEYOND[:2]),
    _lists("integers", (1, 0, 2, 1), (1.0, True, np.int64(1), Decimal(1), Fraction(1, 2), np.float32(0))),
    _lists("decimals", (Decimal("0.1"), Decimal("0.2"), Decimal(3)), (0.1, Fraction(1, 10), Decimal("0.10"))),
    _lists("short floats", (np.float32(0.1), np.float32(0.2)), (0.1, np.float16(0.1), np.longdouble("0.1"))),
    _lists("truth values", (True, False, True), (1, 0.0, np.bool_(True), "True", 2)),
    _lists("times", (_TIME, pd.Timestamp(_DAY), _TIME), ("2020-01-01", "noon", _DAY, _NOON, _UTC)),
    _lists("times and texts", (_TIME, _TIME), ("noon", _DAY, _UTC), ("2020-01-01 12:00", "noon or so")),
    _lists("times with a zone", (_UTC, _UTC.replace(hour=1)), (_UTC.tz_convert("Asia/Tokyo"), _TIME, "noon")),
    _lists("dates", (_DAY, dt.date(2020, 1, 2), _DAY), (_NOON, np.datetime64("2020-01-01"), "2020-01-01")),
    _lists("durations", (pd.Timedelta(1), pd.Timedelta(2)), ("1 day", np.timedelta64(1, "ns"), 1)),
    _lists("periods", (pd.Period("2020-01", "M"), pd.Period("2020-02", "M")), ("2020-01", 1)),
    _lists("texts and oddities", ("a", "b", "c"), (*_ODDITIES, np.str_("a"))),
    Kind("NaN labels", list, (1.5, 2.5, NAN), (1.5, 3, "1.5"), _GONE, (1.5, 2.5)),
    Kind("objects beyond floats", objects, _BEYOND, (0.5, "7", 2**70), _GONE[:4], _BEYOND[:2]),
    Kind("tuple", tuple, ("a", "b", "c"), (3, _UTC), (None,), ("a", "b")),
)
# levels that are one value: there is no release
EQUAL = (
    Kind("equal numbers", list, (1, 0, 0, 0), (True, 2, "1"), (), (0, 1, np.int64(1), 1.0)),
    Kind("equal twice", list, (1, 1.0, 1), (True, 2), (), (1, 1.0)),
    Kind("equal truth values", list, (0, False, 1), (2, "x"), (), (0, False)),
    Kind("equal decimals", objects, (1, Decimal(1), 2), (1.0, 3), (), (1, Decimal(1))),
    Kind("equal short floats", array("f4"), (0.1, 0.2, 0.1), (0.1, 3.0), (), (0.1, 0.10000000001)),
    Kind("equal nullable floats", series("Float32"), (0.1, 0.2), (0.1, 3.0), (), (0.1, 0.10000000001)),
    Kind("texts for one date", series("M8[ns]"), (_DAY, _DAY), (_NOON,), (), ("2020-01-01", "2020-01-01 00:00")),
    Kind("equal moments", list, (_UTC, _UTC), (1,), (), (_UTC, _UTC.tz_convert("Asia/Tokyo"))),
    Kind("a date and its midnight", array("M8[s]"), (_DAY,) * 2, (_NOON,), (), (_DAY, dt.datetime(2020, 1, 1))),
    Kind("levels that are missing", list, (1, NAN), (2, "1"), (), (1, NAN)),
)
KINDS = (*MIXED, *LABELS)

_NUMBERS = (1.5, 4.25, 7.0, 3.0)
_LISTED_NUMBERS = (1.5, 4, True, 2.5)
# the numbers of an odd record, of floats and of lists
_FLOAT_ODDS = (1e9, -5.0, INF, -INF, 0.0, 5.0, 1e308)
_LIST_ODDS = (*_FLOAT_ODDS, 2**53 + 1, 10**400, Decimal("4.5"), Fraction(22, 7), np.float32(0.1), True)
_ID_ODDS = (2**53 + 1, -1, 10**400, "p", Decimal("7.5"), 3.0)
# the record that is replaced, below all others
_LOWEST = {"income": -5.0, "age": -5.0, "before": -5.0, "after": 1.0, "employed": False}
# as in FRAME, with numbers whose middle lies between the bounds
_BOUNDS = {**BOUNDS, "income": (0, 10)}
_RECORDS = 24


def _columns(labels: list[Any], odd: dict[str, Any], listed: bool, whole: bool) -> dict[str, list[Any]]:
    """Return the columns of records of which the last may be odd; without `whole` the last is missing."""
    size = len(labels)
    numbers = _LISTED_NUMBERS if listed else _NUMBERS
    cycled = [numbers[place % 4] for place in range(size)]
    found = {
        "person": [place // 2 for place in range(size)],
        "w": [0.5 + place % 3 for place in range(size)],
        "income": cycled,
        "age": [each * 10.0 for each in cycled],
        "region": labels,
        "sex": labels[::-1],
        "employed": [place % 3 > 0 for place in range(size)],
        "before": [place % 5 / 5 for place in range(size)],
        "after": [place % 7 / 7 for place in range(size)],
        "note": ["xyz"[place % 3] for place in range(size)],
    }
    for name, value in odd.items():
        found[name] = [*found[name][:-1], value]
    return found if whole else {name: each[:-1] for name, each in found.items()}


class _Asked:
    """A design whose methods are asked without a seed, but where ties, blocks or units are drawn from one."""

    def __init__(self, design: Any) -> None:
        self.design = design
        self.of_units = design.facts.unit is not None

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.design, name)
        if name in ("subset", "assign"):
            return lambda *arguments, **options: _Asked(found(*arguments, **options))

        def ask(*arguments: Any, **options: Any) -> Any:
            options.pop("rng", None)
            return found(*arguments, **options, **({"rng": 7} if self.of_units or name in _SEEDED else {}))

        return ask


def cases(way: Way, kind: Kind, container: Container, most: int) -> Iterator[Case]:
    """Return some of the cases of a call, a kind of labels and a container, in a seeded order."""
    drawn = random.Random(f"{way.name} {kind.name} {container.name}")
    labels = [(odd, False) for odd in kind.odd] + [(gap, True) for gap in kind.gaps]
    drawn.shuffle(labels)
    listed = is_listed(kind)
    numbers, ids = (list(each) for each in (_LIST_ODDS if listed else _FLOAT_ODDS, _ID_ODDS))
    drawn.shuffle(numbers)
    drawn.shuffle(ids)
    found = itertools.cycle(numbers), itertools.cycle(ids if listed else [4242, -1])
    usual = [kind.base[place % len(kind.base)] for place in range(_RECORDS)]
    # the last record of either column is of a group
    usual[-1] = kind.base[0]
    for place, (label, gap) in enumerate(labels[:most]):
        number, own = next(found[0]), next(found[1])
        odd = {"income": number, "age": number, "before": next(found[0]), "after": 0.5, "person": own}
        odd |= {"employed": place % 2 == 0, "w": 2.5, "note": f"new {place}"}
        if listed and place % 3 == 2:
            odd |= {"w": Fraction(7, 3), "before": Decimal("0.25")}
        missing = "drop" if not way.bounded else "error"
        if way.rests_on_groups:
            # a record stays in its group, or in none
            outside = not any(_same(label, level) for level in kind.levels)
            before = {"region": None, "sex": None} if listed and outside and place % 2 else {}
            after = {"region": label, "sex": label} if before else {}
            first = _columns(list(usual), {**_LOWEST, **before}, listed, True)
            second = _columns(list(usual), {**odd, **after}, listed, True)
        elif gap and missing == "error":
            continue
        else:
            first = _columns(list(usual), _LOWEST, listed, way.bounded)
            second = _columns(list(usual), {**odd, "region": label, "sex": label}, listed, True)
        yield _case(way, kind, container, first, second, missing, f"{_shown(label)}, {_shown(number)}")


def _case(
    way: Way,
    kind: Kind,
    container: Container,
    first: dict[str, Any],
    second: dict[str, Any],
    missing: str,
    told: str,
) -> Case:
    levels = {"region": list(kind.levels), "sex": list(kind.levels), "employed": [False, True]}

    def call(data: Any, budget: Any) -> Any:
        def how(**more: Any) -> _Asked:
            weights = {"weights": "w"} if way.bounded else {}
            facts = {"bounds": _BOUNDS, "levels": levels, "budget": budget, **weights, **more}
            neighbors = "bounded" if way.bounded else "unbounded"
            return _Asked(pydpstat.design(data, **facts, neighbors=neighbors, missing=missing))

        how.level = kind.levels[0]  # type: ignore[attr-defined]
        return way.ask(how)

    return Case(
        f"{way.name}, {kind.name} in {container.name}, {told}",
        call,
        lambda: container.make(first, kind),
        lambda: container.make(second, kind),
        replayed=True,
    )


def _same(one: Any, other: Any) -> bool:
    try:
        return not is_missing(one) and bool(one == other)
    except Exception:  # an object may raise what it likes
        return False


def _shown(odd: Any) -> str:
    try:
        return f"{type(odd).__name__} {odd!r}"[:40]
    except Exception:
        return type(odd).__name__


@dataclass
class Tally:
    """What was compared: pairs of data, how many were released, how far they moved, and what is wrong."""

    pairs: int = 0
    released: int = 0
    largest: float = 0.0
    wrong: list[str] = field(default_factory=list)
    containers: set[str] = field(default_factory=set)

    def add(self, case: Case, container: str) -> None:
        """Compare the two data sets of a case."""
        one, two = pair(case)
        self.pairs += 1
        self.released += one.error is None
        self.largest = max(self.largest, farthest(one, two))
        self.wrong += [f"{each} ({case.name})" for each in judged(case, one, two)]
        self.containers.add(container)


def tallied(way: Way, kinds: tuple[Kind, ...], most: int) -> Tally:
    """Compare what a call does with all kinds of labels in all containers."""
    found = Tally()
    for kind in kinds:
        for container in CONTAINERS:
            if container.takes(kind):
                for case in cases(way, kind, container, most):
                    found.add(case, f"{kind.name} in {container.name}")
    return found


def main(most: int = 3) -> None:
    """Print a line for each call, and one for all."""
    whole, held, methods = [], set(), set()
    for way in ways():
        each, equal = tallied(way, KINDS, most), tallied(way, EQUAL, most)
        print(
            f"{way.name:34} {each.pairs:6} pairs, {each.released:6} released, largest move "
            f"{each.largest:.9f}; equal levels: {equal.pairs} pairs, {equal.released} released",
            flush=True,
        )
        for told in [*each.wrong[:3], *equal.wrong[:3]]:
            print("    " + told, flush=True)
        whole += [each, equal]
        held |= each.containers | equal.containers
        methods.add(way.method)
    print(
        f"{sum(each.pairs for each in whole)} pairs, {len(methods)} methods in {len(whole) // 2} calls, "
        f"{len(held)} containers, largest move {max(each.largest for each in whole):.9f} of the guarantee, "
        f"{sum(len(each.wrong) for each in whole)} wrong"
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
