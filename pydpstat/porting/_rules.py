"""The rules of a check: what of a script's facts breaks privacy, and what to write instead."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from pydpstat._release.calibration import SEEDED
from pydpstat.errors import PrivacyWarning
from pydpstat.porting import _functions as functions
from pydpstat.porting._facts import Facts, Noise, Output
from pydpstat.porting._findings import ERROR, NOTE, WARNING, Finding, Report, Row
from pydpstat.porting._forms import Place
from pydpstat.porting._judged import BY_NUMBER, Judged, by_source, count_of, is_from_data, sum_of, sums
from pydpstat.porting._releases import Release, held, sign_geometric
from pydpstat.porting._values import Value

# what to write in R in the place of a finding
_IN_R = {
    "1": "rgeom(n, p) - rgeom(n, p), a difference of two",
    "2": 'mechanism = "analytic" with a delta',
    "3": "DPpack::ExponentialMechanism",
    "4": "breaks = c(...), written in the script, from lower.bound to upper.bound",
    "5": 'which.sensitivity = "bounded", with the number of records public',
    "6": "DPpack::GaussianMechanism with analytic = TRUE",
    "8": "factor(x, levels = c(...)), with levels that are written in the script",
    "9": "a finite upper.bound",
    "11": "a delta of 1e-10 or more",
    "14": "a proven sensitivity, without sensitivitySampler",
    "delta": "a delta far below 1/n, a finite epsilon and a positive sensitivity",
    "C1": "gamma = 1",
    "C2": "X and y clipped to the bounds before the call, and add.bias = TRUE",
    "C3": "LogisticRegressionDP$new(...) with gamma = 1",
    "C4": "columns and bounds divided by the largest length of a record",
    "C5": "a smaller eps, or the guarantee for added and removed records",
    "C6": "a smaller eps, as a margin",
    "C8": "arguments above 0 and finite, and a delta below 1",
    "C9": 'perturbation.method = "output" with gamma = 1, or svmDP$new(...)',
}
_OWN = {
    "meanDP": "pydpstat.mean(x, epsilon, bounds=(0, 100))",
    "varDP": "pydpstat.var(x, epsilon, bounds=(0, 100))",
    "sdDP": "pydpstat.std(x, epsilon, bounds=(0, 100))",
    "covDP": "pydpstat.cov(x, y, epsilon, bounds=(0, 100))",
    "histogramDP": "pydpstat.histogram(x, epsilon, edges=[0, 50, 100])",
    "tableDP": 'pydpstat.crosstab(x, epsilon, levels=["a", "b"])',
    "quantileDP": "pydpstat.quantile(x, 0.5, epsilon, bounds=(0, 100))",
    "medianDP": "pydpstat.median(x, epsilon, bounds=(0, 100))",
}
_EXAMPLES = {
    "breaks": "breaks = c(0, 50, 100)",
    "levels": 'levels=["a", "b"]',
    "edges": "edges=[0, 50, 100]",
    "bounds": "bounds=(0, 100)",
}
_TOTAL = re.compile(r"eps|budget", re.IGNORECASE)
_R_REMARK = (
    "R's originals: their noise is made from 32-bit numbers (finding 12), and missing values change what "
    "they return (finding 15). The figures are for exact noise and data without missing values."
)
_EXAMPLE_N = "Figures that depend on the number of records are for 1,000."


def report(path: str, language: str, facts: Facts) -> Report:
    """Return what breaks privacy in a script."""
    judged = [Judged(each, held(each)) for each in facts.releases]
    r = language == "R"
    found: dict[tuple[object, ...], Finding] = {}
    for each in (*_of_releases(judged, r), *_of_script(facts, judged, r), *_totals(judged, facts, r)):
        found.setdefault((each.rule, each.place, each.what), each)
    order = {ERROR: 0, WARNING: 1, NOTE: 2}
    findings = sorted(
        found.values(), key=lambda each: (each.place.line, order[each.severity], each.place.column)
    )
    rows = dict.fromkeys(map(_row, judged))
    remarks = [_R_REMARK, _EXAMPLE_N] if r and judged else []
    if not judged:
        remarks.append("No private release was found.")
    return Report(
        path,
        language,
        tuple(findings),
        tuple(rows),
        tuple(sums(judged)),
        tuple(_not_followed(facts, judged)),
        tuple(remarks),
    )


def _row(judged: Judged) -> Row:
    release, held, kept = judged.release, judged.held, judged.kept
    claim = "unknown" if held.claim is None else str(held.claim)
    shown = f"not known: {held.refused}" if kept is None else str(kept)
    return Row(release.place, release.name, claim, shown, release.times, kept.conditions if kept else ())


def _not_followed(facts: Facts, judged: Sequence[Judged]) -> Iterator[tuple[Place, str]]:
    for (_, reason), place in sorted(facts.not_followed.items(), key=lambda each: each[1].line):
        yield place, reason
    for each in judged:
        if each.held.kept is None:
            yield each.release.place, each.held.refused
        for name, value in each.release.public().items():
            if value.unknown and not value.private:
                yield each.release.place, f"{_word(name, True)}: {value.unknown}"


# rules of one release


def _of_releases(judged: Sequence[Judged], r: bool) -> Iterator[Finding]:
    for each in judged:
        for warning in each.held.findings:
            yield _mirrored(each, warning, r)
        yield from _from_data(each, r)
        yield from _records(each, r)
    yield from _seeded(judged, r)


def _mirrored(judged: Judged, warning: PrivacyWarning, r: bool) -> Finding:
    """Return the finding of a mirror, in its words."""
    release, kept = judged.release, judged.held
    holds = kept.kept is not None and kept.claim is not None and kept.kept.implies(kept.claim)
    own = f"pydpstat.{warning.use}"
    why, _, _ = str(warning).rpartition(" Use ")
    instead = f"{_IN_R[warning.row]}; or {own}" if r and warning.row in _IN_R else own
    return Finding(
        f"finding-{warning.row}",
        WARNING if holds else ERROR,
        release.place,
        f"{release.name} keeps less than it claims.",
        why or str(warning),
        f"claimed {kept.claim or 'for each of both'}; kept: {kept.kept}.",
        f"{instead}.",
    )


def _from_data(judged: Judged, r: bool) -> Iterator[Finding]:
    release = judged.release
    for name, value in release.public().items():
        if value.private:
            yield _argument(judged, name, value, r)
    for name, value in release.data().items():
        if is_from_data(value) and release.function == "tableDP":
            yield Finding(
                "levels-from-data",
                ERROR,
                release.place,
                f"The levels of {release.name} are computed from the data: {value.levels}.",
                "The levels are published; one that only one person has shows that this person is there.",
                f"epsilon is infinite{judged.epsilon}.",
                _instead(
                    'factor(x, levels = c("a", "b")), with all levels written in the script', release, r
                ),
            )


def _argument(judged: Judged, name: str, value: Value, r: bool) -> Finding:
    release, word = judged.release, _word(name, r)
    example = _EXAMPLES.get(name, f"{word} = {0 if 'lower' in name else 100}")
    if "sens" in name:
        example = f"{word} = (upper - lower) / n, of bounds that are written in the script"
    return Finding(
        "levels-from-data" if name == "levels" else "argument-from-data",
        ERROR,
        release.place,
        f"{word} of {release.name} is computed from the data: {value.why}.",
        "It is treated as public, but one record can change it, and with it the scale of the noise.",
        f"epsilon is infinite{judged.epsilon}.",
        _instead(f"{example}, chosen without the data", release, r),
    )


def _instead(in_r: str, release: Release, r: bool) -> str:
    own = _OWN.get(release.function)
    return f"{in_r}; or {own}." if own and r else f"{own or in_r}."


def _seeded(judged: Sequence[Judged], r: bool) -> Iterator[Finding]:
    """Return one finding for each seed, with the releases whose noise it makes."""
    seeds: dict[Place, list[str]] = {}
    for each in judged:
        if each.release.seed is not None:
            seeds.setdefault(each.release.seed, []).append(each.release.name)
    for place, names in seeds.items():
        noise = ", ".join(dict.fromkeys(names))
        yield Finding(
            "seed",
            ERROR,
            place,
            f"The seed of the noise of {noise} is published with the script.",
            f"The noise is {SEEDED}.",
            "epsilon is infinite for each release after it.",
            "no set.seed before a release, or set.seed(NULL) after the last use of the seed."
            if r
            else "the release without rng, with noise from the operating system.",
        )


def _records(judged: Judged, r: bool) -> Iterator[Finding]:
    release = judged.release
    for mixed in judged.mixed():
        yield Finding(
            "records-changed",
            ERROR,
            release.place,
            f"The records of {release.name} are changed by a figure of the same data: {mixed}.",
            "One person then changes the values of all others, and not only the own one.",
            f"the sensitivity is not proven: epsilon can be any{judged.epsilon}.",
            _instead("public numbers in the place of that figure, or a private release of it", release, r),
        )
    for value in release.data().values():
        if value.private and value.selected and not value.mixed and release.function in BY_NUMBER:
            yield Finding(
                "number-selected",
                NOTE,
                release.place,
                f"{release.name} treats the number of selected records as public: {value.selected}.",
                "The noise scale is computed from it, and a person may be selected or not.",
                "",
                _instead("the selection by a public condition, with a number that is public", release, r),
            )


def _word(name: str, r: bool) -> str:
    return {"type_DP": "type.DP"}.get(name, name.replace("_", ".")) if r else name


# rules of the whole script


def _of_script(facts: Facts, judged: Sequence[Judged], r: bool) -> Iterator[Finding]:
    for output in facts.outputs:
        yield _raw(output, bool(judged), r)
    for noise in facts.noises:
        yield from _by_hand(noise)
    for place in facts.closures:
        yield Finding(
            "closure",
            ERROR,
            place,
            "The written object is the function that DPMechBernstein returns.",
            "In its environment are the data, the exact function and the noise.",
            "epsilon is infinite.",
            "the values of the function at points of a grid; or pydpstat.DPMechBernstein, which returns the "
            "noisy coefficients only.",
        )
    for place, name, value in facts.declared:
        if value.private:
            yield Finding(
                "levels-from-data" if name == "levels" else "argument-from-data",
                ERROR,
                place,
                f"{name} of the design are computed from the data: {value.why}.",
                "They are published with every release of the design.",
                "epsilon is infinite.",
                f"{name} that were chosen without the data.",
            )


def _raw(output: Output, beside: bool, r: bool) -> Finding:
    plot = output.how in functions.PLOTS
    verb = "drawn" if plot else "written" if output.how in functions.WRITES else "shown"
    releases = " beside private ones" if beside else ""
    example = "print(meanDP(x, 1, 0, 100))" if r else "print(pydpstat.mean(x, 1, bounds=(0, 100)))"
    return Finding(
        "raw-plot" if plot else "raw-value",
        ERROR if beside and not plot else WARNING,
        output.place,
        f"A raw value is {verb}{releases}: {output.value.why or output.place.text}.",
        "It has no noise; with it, the noise of a release of the same data can be computed."
        if beside
        else "It has no noise.",
        "epsilon is infinite.",
        f"only private releases of it, as {example}.",
    )


def _by_hand(noise: Noise) -> Iterator[Finding]:
    if noise.made.function != "noise sign * rgeom":
        return
    kept = sign_geometric(noise.made)
    for warning in kept.findings:
        yield Finding(
            "finding-1",
            ERROR,
            noise.place,
            "A random sign times a geometric number keeps less than it claims.",
            str(warning).rpartition(" Use ")[0],
            f"claimed {kept.claim}; kept: {kept.kept}.",
            f"{_IN_R['1']}; or pydpstat.symmetric_geometric.",
        )


# the sums of what is spent


def _totals(judged: Sequence[Judged], facts: Facts, r: bool) -> Iterator[Finding]:
    stated = max((value for name, value in facts.budgets.items() if _TOTAL.search(name)), default=0.0)
    for source, all_ in by_source(judged).items():
        last = all_[-1].release
        endless = next((each.release for each in all_ if math.isinf(each.release.times)), None)
        own = "with pydpstat.Budget(total), which adds up and stops"
        if endless:
            yield Finding(
                "repeated-without-end",
                ERROR,
                endless.place,
                f"The same data ({source}) are released an unknown number of times.",
                f"Each round of the loop around {endless.name} spends again.",
                "no sum can be stated; epsilon is unbounded.",
                f"a loop of a number of rounds that is written in the script; or {own}.",
            )
            continue
        total = sum_of(all_)
        if total is None or total[0].epsilon <= stated * (1 + 1e-9):
            continue
        lines = [*dict.fromkeys(str(each.release.place.line) for each in all_)]
        where = f"line{'s' * (len(lines) > 1)} {', '.join(lines)}"
        yield Finding(
            "repeated",
            WARNING,
            last.place,
            f"The same data ({source}) are released {count_of(all_)} times, in {where}.",
            "What is spent adds up, and no total in the script covers it.",
            f"together {total[0]}{total[1]}.",
            f"total.eps <- {total[0].epsilon:.6g}, with shares of it as eps; or {own}.",
        )
