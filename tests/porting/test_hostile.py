"""Scripts that want to get code into their translation, or to let a command hang: none does."""

from __future__ import annotations

import resource
import time
from typing import NamedTuple

import pytest

from pydpstat.porting import RSyntaxError
from pydpstat.porting._files import allow_deep_recursion
from pydpstat.porting._flow import follow_script
from pydpstat.porting._from_r import make_r_forms
from pydpstat.porting._grammar import parse
from pydpstat.porting._port import format_port_report as report_of_port
from pydpstat.porting._rules import make_check_report
from pydpstat.porting._translation import translate_script
from tests.porting.hostile import SCRIPTS, Maker, foreign

# an eighth of a second for a script of some lines is a hang that begins
SLOWEST = 2.0


class Seen(NamedTuple):
    """What became of a script."""

    seed: int
    read: bool
    wrong: list[str]
    seconds: float
    statements: int = 0
    left: int = 0


def seen(seed: int) -> Seen:
    """Port and check the script of a seed."""
    maker = Maker(seed)
    script, name = maker.script(), maker.file_name()
    start = time.process_time()
    with allow_deep_recursion():
        try:
            found = translate_script(script, name, use_own_functions=seed % 3 == 0)
        except RSyntaxError:
            return Seen(seed, False, [], time.process_time() - start)
        told = [
            report_of_port(found),
            make_check_report(name, "R", follow_script(make_r_forms(parse(script)), is_r=True)).to_text(),
        ]
    seconds = time.process_time() - start
    wrong = foreign(script, found.text)
    # neither a terminal nor a reader is misled
    for text in (found.text, *told):
        wrong += [repr(line) for line in text.split("\n") if not line.isprintable()]
    return Seen(seed, True, wrong, seconds, found.n_statements, len(found.problems))


def examined(seeds: range) -> str:
    """Port and check the scripts of all seeds, and return the figures; fail at the first that is wrong."""
    counts, slowest, sizes = [0, 0, 0, 0], Seen(-1, True, [], 0.0), resource.getrusage(resource.RUSAGE_SELF)
    for seed in seeds:
        one = seen(seed)
        assert one.wrong == [], (seed, one.wrong, Maker(seed).script())
        slowest = max(slowest, one, key=lambda each: each.seconds)
        counts = [a + b for a, b in zip(counts, (1, one.read, one.statements, one.left))]
    assert slowest.seconds < SLOWEST, slowest
    before, after = sizes.ru_maxrss // 1024, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return (
        f"{counts[0]} scripts, {counts[1]} of them R, with {counts[2]} statements, {counts[3]} left; "
        f"slowest {slowest.seconds:.3f} s (seed {slowest.seed}); {before} MB before, at most {after} MB"
    )


def test_a_sample_of_hostile_scripts():
    examined(range(40))


@pytest.mark.slow
def test_many_hostile_scripts():
    print(examined(range(1000, 1000 + SCRIPTS)))
