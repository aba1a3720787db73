"""One case: a call on two neighboring data sets, and all in which the two must not differ."""

import contextlib
import io
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pydpstat import PydpstatError
from pydpstat.errors import UsageWarning
from tests.neighbors.losses import moved, share_of
from tests.neighbors.sameness import differences
from tests.neighbors.seams import Outcome, Replay, Seen, watched

Make = Callable[[], Any]


@dataclass(frozen=True)
class Case:
    """A call on two neighboring data sets, which are made anew."""

    name: str
    # takes the data, and a budget
    call: Callable[[Any, Any], Any]
    first: Make
    second: Make
    # how records look in texts
    secrets: tuple[str, ...] = ()
    # where a choice falls, from 0 to 1
    share: float = 0.5
    # whether levels come from the data
    discovers: bool = False
    # whether the two are the same data, which look different: nothing at all may move
    same: bool = False
    # whether the first data's noisy values come out for the second, too
    replayed: bool = False


@dataclass
class Book:
    """A budget that writes down what is charged."""

    spent: list[tuple[Any, str]] = field(default_factory=list)

    def spend(self, guarantee: Any, call: str) -> None:
        """Write it down."""
        self.spent.append((guarantee, call))


@dataclass
class Run:
    """What one call did: a result or an error, what was charged, seen and said."""

    seen: Seen
    book: Book
    result: Any = None
    error: BaseException | None = None
    printed: str = ""


def run(case: Case, make: Make, outcome: Outcome) -> Run:
    """Call on data that are made anew; every warning and floating-point flag is an error."""
    data, out, hidden = make(), io.StringIO(), []
    with watched(outcome) as seen:
        done = Run(seen, Book())
        hook, sys.unraisablehook = sys.unraisablehook, hidden.append
        try:
            with (
                np.errstate(all="raise"),
                warnings.catch_warnings(),
                contextlib.redirect_stdout(out),
                contextlib.redirect_stderr(out),
            ):
                warnings.simplefilter("error")
                # it is made from the released numbers
                warnings.simplefilter("ignore", UsageWarning)
                done.result = case.call(data, done.book)
        except Exception as error:
            done.error = error
        finally:
            sys.unraisablehook = hook
    done.printed = out.getvalue() + "".join(map(repr, hidden))
    return done


def pair(case: Case) -> tuple[Run, Run]:
    """Run a case on both data sets, with the same outcome."""
    outcome = Outcome(case.share, Replay() if case.replayed else None)
    if case.discovers:
        outcome = replace(outcome, kept=_common(case, outcome))
    return run(case, case.first, outcome), run(case, case.second, outcome)


def compared(cases: Iterable[Case]) -> tuple[list[str], int]:
    """Return where data sets are told apart by more than noise, and how many cases release something."""
    found, released = [], 0
    for case in cases:
        one, two = pair(case)
        found += [f"{each} ({case.name})" for each in judged(case, one, two)]
        released += one.error is None
    return found, released


def farthest(one: Run, two: Run) -> float:
    """Return how far two runs' values are apart, in units of what is guaranteed."""
    guarantee = _guarantee(one)
    if one.error is not None or two.error is not None or guarantee is None:
        return 0.0
    return share_of(one.seen, two.seen, guarantee)


def judged(case: Case, one: Run, two: Run) -> list[str]:
    """Return in what two runs of a case differ, and what no run may do."""
    found = [each for done in (one, two) for each in alone(case, done)]
    if said(one.error) != said(two.error):
        found.append(f"errors: {kind(one.error)} and {kind(two.error)}")
    if differences(one.book.spent, two.book.spent):
        found.append("budget: other charges")
    if one.error is None and two.error is None:
        found += [f"result: {each}" for each in differences(one.result, two.result)]
        guarantee = _guarantee(one)
        if guarantee is not None:
            found += moved(one.seen, two.seen, guarantee)
        found += answered(case, one.seen, two.seen)
        if case.same and drawn_from(one.seen) != drawn_from(two.seen):
            found.append("movement: of the same data")
    return found


def drawn_from(seen: Seen) -> list[Any]:
    """Return the exact values and exponents of a run."""
    return [each.values for each in seen.noised] + [(each.exponents, each.widths) for each in seen.chosen]


def alone(case: Case, done: Run) -> list[str]:
    """Return what a run does that none may do."""
    found = []
    if done.printed:
        found.append("printed: something")
    if done.error is not None:
        if not isinstance(done.error, PydpstatError):
            found.append(f"raised: {kind(done.error)}")
        if done.book.spent:
            found.append("budget: charged before an error")
        texts = said(done.error)
        if any(secret in text for secret in case.secrets for text in texts):
            found.append("message: a record in it")
    elif hasattr(done.result, "record") and done.book.spent not in ([], [charge(done.result)]):
        found.append("budget: another charge than what the result says")
    return found


def charge(result: Any) -> tuple[Any, str]:
    """Return what a result costs by its own account."""
    return result.guarantee, result.record.format_python()


def answered(case: Case, one: Seen, two: Seen) -> list[str]:
    """Compare the truths behind the answers of a survey: of one person they may differ."""
    for (truths, form), (others, other) in zip(one.answered, two.answered):
        if form != other or truths.dtype != others.dtype or truths.shape != others.shape:
            return ["movement: other answers' forms"]
        if np.count_nonzero(truths != others) > 1 - case.same:
            return ["movement: more than one answer"]
    return [] if len(one.answered) == len(two.answered) else ["movement: other numbers of surveys"]


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error, what caused it and in whose handling it was raised."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def said(error: BaseException | None) -> list[str]:
    """Everything that an error says, with its causes."""
    return [f"{type(each).__name__}: {each} {each.args}" for each in chain(error)]


def kind(error: BaseException | None) -> str:
    """What kind of error it is, for messages."""
    return "a release" if error is None else f"{type(error).__name__} ({str(error)[:70]})"


def _guarantee(done: Run) -> Any:
    held = getattr(done.result, "guarantee", None)
    if held is not None or not done.book.spent:
        return held
    return done.book.spent[0][0]


def _common(case: Case, outcome: Outcome) -> frozenset[Any]:
    """Return the levels that occur in both data sets."""
    found = []
    for make in (case.first, case.second):
        noised = run(case, make, outcome).seen.noised
        levels = noised[0].query.labels.dimnames[0] if noised else ()
        found.append({(type(level), level) for level in levels})
    return frozenset(found[0] & found[1])
