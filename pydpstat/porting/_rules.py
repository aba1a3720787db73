"""Rules of a check: the facts of a script that break privacy, with corrections."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence

from pydpstat._release.calibration import SEEDED_CONDITION
from pydpstat._warn import LARGE_EPSILON
from pydpstat.errors import PrivacyWarning
from pydpstat.porting import _functions as functions
from pydpstat.porting._findings import ERROR, NOTE, WARNING, Finding, ReleaseRow, Report, SpendingTotal
from pydpstat.porting._forms import Place
from pydpstat.porting._judged import (
    SIZE_DEPENDENT,
    AssessedRelease,
    DataSpending,
    has_levels_from_data,
    iterate_spending,
)
from pydpstat.porting._publishing import ScriptFacts
from pydpstat.porting._releases import MODELS, Release, compute_noise_epsilon, evaluate_release, sign_geometric
from pydpstat.porting._rule_texts import EXAMPLE_ARGUMENTS, OWN_REPLACEMENTS, R_REPLACEMENTS, TEXT_BLOCKS
from pydpstat.porting._values import CreatedObject, Source, Value

_R_REMARK = (
    "R's originals: their noise is made from 32-bit numbers (finding 12), and missing values change what "
    "they return (finding 15). The figures are for exact noise and data without missing values."
)
# names of data that are private although no release uses them
_PRIVATE_NAME = re.compile(r"private|confidential|sensitive|secret", re.IGNORECASE)
_EXAMPLE_SIZE_REMARK = "Figures that depend on the number of records are for 1,000."


def make_check_report(path: str, language: str, facts: ScriptFacts) -> Report:
    """Return the report on a script's facts."""
    judged = [AssessedRelease(each, evaluate_release(each)) for each in facts.releases]
    r, sums = language == "R", list(iterate_spending(judged))
    found: dict[tuple[object, ...], Finding] = {}
    for each in (
        *_check_releases(judged, facts, r),
        *_check_script_facts(facts, judged, r),
        *_check_totals(sums, facts),
    ):
        found.setdefault((each.rule, each.place, each.what), each)
    order = (ERROR, WARNING, NOTE)
    findings = sorted(found.values(), key=lambda each: (order.index(each.severity), each.place.column))
    findings.sort(key=lambda each: each.place.line)
    remarks = [_R_REMARK, _EXAMPLE_SIZE_REMARK][: 2 * r] if judged else ["No private release was found."]
    rows = tuple(dict.fromkeys(map(_make_release_row, judged)))
    known = ((each, each.total) for each in sums if each.total)
    totals = tuple(SpendingTotal(str(each.source), int(each.times), str(sum_), zcdp) for each, (sum_, zcdp) in known)
    left = tuple(_iterate_not_followed(facts, judged))
    return Report(path, language, tuple(findings), rows, totals, left, tuple(remarks))


def _make_release_row(judged: AssessedRelease) -> ReleaseRow:
    release, held, kept = judged.release, judged.assessment, judged.actual_guarantee
    claim = "unknown" if held.claim is None else str(held.claim)
    shown = f"not known: {held.refusal}" if kept is None else str(kept)
    return ReleaseRow(release.place, release.name, claim, shown, release.times, kept.conditions if kept else ())


def _iterate_not_followed(facts: ScriptFacts, judged: Sequence[AssessedRelease]) -> Iterator[tuple[Place, str]]:
    for (_, reason), place in sorted(facts.not_followed.items(), key=lambda each: each[1].line):
        yield place, reason
    for each in judged:
        if each.assessment.guarantee is None:
            yield each.release.place, each.assessment.refusal
        for name, value in each.release.get_public().items():
            if value.unknown and not value.is_private:
                yield each.release.place, f"{_format_parameter(name, True)}: {value.unknown}"


def _make_finding(texts: str, place: Place, rule: str = "", severity: str = "", **words: object) -> Finding:
    head, *lines = TEXT_BLOCKS[texts]
    name, _, usual = head.partition(" ")
    said = ["" if each == "-" else each.format(**words) for each in lines]
    return Finding(rule or name, severity or usual, place, *said)


# rules of one release


def _check_releases(judged: Sequence[AssessedRelease], facts: ScriptFacts, is_r: bool) -> Iterator[Finding]:
    seeds: dict[Place, list[str]] = {}
    for each in judged:
        release = each.release
        for warning in each.assessment.findings:
            yield _make_mirror_finding(each, warning, is_r)
        for name, value in release.get_public().items():
            if value.is_private:
                yield _make_argument_finding(each, name, value, is_r)
        yield from _check_records(each, is_r)
        yield from _check_large_epsilon(each, is_r)
        sources = release.get_sources()
        simulated = bool(sources) and all(one.drawn is not None for one in sources)
        if release.seed is not None and not simulated:
            seeds.setdefault(release.seed, []).append(release.name)
        elif (made := release.arguments.get("rng", Value()).made) and made.function == "generator":
            yield _make_finding("generator", release.place, "finding-12", name=release.name)
        for word, place in facts.masked.items() if release.made and release.made.function in MODELS else ():
            yield _make_finding("finding-C7", place, name=release.name, word=word, claimed=each.claim_text)
    instead = "no set.seed before a release, or set.seed(NULL) after the last use of the seed."
    instead = instead if is_r else "the release without rng, with noise from the operating system."
    for place, names in seeds.items():
        yield _make_finding("seed", place, name=", ".join(dict.fromkeys(names)), how=SEEDED_CONDITION, instead=instead)


def _make_mirror_finding(judged: AssessedRelease, warning: PrivacyWarning, is_r: bool) -> Finding:
    """Return the finding for a mirror's warning."""
    release, claim, kept = judged.release, judged.assessment.claim, judged.assessment.guarantee
    holds = kept is not None and claim is not None and kept.implies(claim)
    own = f"pydpstat.{warning.use}"
    why, _, _ = str(warning).rpartition(" Use ")
    instead = f"{R_REPLACEMENTS[warning.row]}; or {own}." if is_r and warning.row in R_REPLACEMENTS else f"{own}."
    what = f"{release.name} keeps less than it claims."
    figure = f"claimed {claim or 'for each of both'}; kept: {kept}."
    rule, severity = f"finding-{warning.row}", WARNING if holds else ERROR
    return Finding(rule, severity, release.place, what, why or str(warning), figure, instead)


def _make_argument_finding(judged: AssessedRelease, name: str, value: Value, is_r: bool) -> Finding:
    release, word = judged.release, _format_parameter(name, is_r)
    example = EXAMPLE_ARGUMENTS.get(name, f"{word} = {0 if 'lower' in name else 100}")
    if "sens" in name:
        example = f"{word} = (upper - lower) / n, of bounds that are written in the script"
    rule = "levels-from-data" if name == "levels" else "argument-from-data"
    words = {"word": word, "name": release.name, "how": value.why, "claimed": judged.claim_text}
    instead = _suggest_replacement(f"{example}, chosen without the data", release, is_r)
    return _make_finding("argument", release.place, rule, instead=instead, **words)


def _check_large_epsilon(judged: AssessedRelease, is_r: bool) -> Iterator[Finding]:
    """Yield a finding for an epsilon with which noise has almost no effect."""
    release, arguments = judged.release, judged.release.arguments
    name = "eps" if "eps" in arguments else "epsilon"
    epsilon = arguments.get(name, Value()).constant
    if not isinstance(epsilon, float) or not LARGE_EPSILON < epsilon < math.inf:
        return
    instead = f"{name} = 1, or the share of a total."
    for other, value in release.get_public().items():
        usual = isinstance(value.constant, float) and 0.0 < value.constant <= LARGE_EPSILON
        if usual and other not in (name, "delta", "gamma"):
            instead = (
                f"{name} = {value.constant:g} and {_format_parameter(other, is_r)} = {epsilon:g}, if they are swapped."
            )
            break
    yield _make_finding("epsilon", release.place, name=release.name, epsilon=epsilon, instead=instead)


def _suggest_replacement(in_r: str, release: Release, is_r: bool) -> str:
    own = f"pydpstat.{OWN_REPLACEMENTS[release.function]}" if release.function in OWN_REPLACEMENTS else ""
    return f"{in_r}; or {own}." if own and is_r else f"{own or in_r}."


def _check_records(judged: AssessedRelease, is_r: bool) -> Iterator[Finding]:
    release = judged.release
    words = {"name": release.name, "claimed": judged.claim_text}
    for how in judged.find_record_changes():
        other = "public numbers in the place of that figure, or a private release of it"
        instead = _suggest_replacement(other, release, is_r)
        yield _make_finding("records-changed", release.place, how=how, instead=instead, **words)
    for value in release.get_data().values():
        if value.is_private and value.groups:
            other = 'groups that are written in the script, as for (g in c("a", "b"))'
            words |= {"how": value.groups, "instead": _suggest_replacement(other, release, is_r)}
            yield _make_finding("groups", release.place, "levels-from-data", **words)
        if has_levels_from_data(value) and release.function == "tableDP":
            other = 'factor(x, levels = c("a", "b")), with all levels written in the script'
            words |= {"how": value.levels, "instead": _suggest_replacement(other, release, is_r)}
            yield _make_finding("levels", release.place, "levels-from-data", **words)
        if value.is_private and value.selected and not value.mixed and release.function in SIZE_DEPENDENT:
            other = "the selection by a public condition, with a number that is public"
            words |= {"how": value.selected, "instead": _suggest_replacement(other, release, is_r)}
            yield _make_finding("number-selected", release.place, **words)
        treated = release.function in ("tableDP", "histogramDP") or "missing" in release.arguments
        if value.is_private and value.missing and not treated:
            yield _make_finding("finding-15", release.place, **{**words, "how": value.missing})


def _format_parameter(name: str, is_r: bool) -> str:
    return {"type_DP": "type.DP"}.get(name, name.replace("_", ".")) if is_r else name


# rules of the whole script


def _check_script_facts(facts: ScriptFacts, judged: Sequence[AssessedRelease], is_r: bool) -> Iterator[Finding]:
    protected = {source.file for each in judged for source in each.release.get_sources()}
    # normal noise added to each record is a simulation from the records, not a release
    by_hand = [value for _, made, value in facts.noises if value.summary or "norm" not in made.function]
    protected |= {source.file for value in by_hand for source in value.sources}
    for place, how, value in facts.outputs:
        files = {source.file for source in value.sources if source.drawn is None}
        beside = not files.isdisjoint(protected)
        if beside or any(map(_PRIVATE_NAME.search, files)):
            yield _make_raw_finding(place, how, value, beside, is_r)
    yield from (_make_finding("closure", place) for place in facts.closures)
    yield from (_make_finding("finding-12", place, name="A release", how=how) for place, how in facts.digits)
    for place, made, _ in facts.noises:
        yield from _check_sign_geometric(place, made)
    for place, name, value in facts.declared:
        if value.is_private:
            rule = "levels-from-data" if name == "levels" else "argument-from-data"
            yield _make_finding("design", place, rule, word=name, how=value.why)
    yield from _check_noise_levels(facts)


def _make_raw_finding(place: Place, channel: str, value: Value, is_beside_release: bool, is_r: bool) -> Finding:
    plot = channel in functions.PLOTS
    verb = "drawn" if plot else "written" if channel in functions.WRITES else "shown"
    more = "; with it, the noise of a release of the same data can be computed" if is_beside_release else ""
    rule, severity = "raw-plot" if plot else "raw-value", ERROR if is_beside_release and not plot else WARNING
    shown = f"{verb}{' beside private ones' if is_beside_release else ''}: {value.why or place.text}"
    if channel == functions.DECISION:
        shown = f"used to decide what is released or shown: {place}"
    instead = "print(meanDP(x, 1, 0, 100))" if is_r else "print(pydpstat.mean(x, 1, bounds=(0, 100)))"
    return _make_finding("raw", place, rule, severity, how=shown, beside=more, instead=instead)


def _check_sign_geometric(place: Place, made: CreatedObject) -> Iterator[Finding]:
    if made.function != functions.SIGN_GEOMETRIC:
        return
    kept = sign_geometric(made)
    what = "A random sign times a geometric number keeps less than it claims."
    figure = f"claimed {kept.claim}; kept: {kept.guarantee}."
    instead = f"{R_REPLACEMENTS['1']}; or pydpstat.symmetric_geometric."
    for warning in kept.findings:
        why = str(warning).rpartition(" Use ")[0]
        yield Finding("finding-1", ERROR, place, what, why, figure, instead)


def _check_noise_levels(facts: ScriptFacts) -> Iterator[Finding]:
    """Yield a finding for data whose group statistics receive noise by hand more than once."""
    found: dict[Source, list[tuple[Place, CreatedObject, Value]]] = {}
    for noise in facts.noises:
        for source in noise[2].sources:
            found.setdefault(source, []).append(noise)
    for source, noises in found.items():
        rates = [compute_noise_epsilon(made) for _, made, _ in noises]
        numbers = [value.stated for _, _, value in noises]
        stated = max((number for each in numbers for number in each), default=0.0)
        known = all(rates)
        # if the numbers are unknown: a share differs from the total that it is computed from
        covered = sum(rates) <= stated * (1 + 1e-9) if known else all(len(each) > 1 for each in numbers)
        lines = dict.fromkeys(place.line for place, _, _ in noises)
        if len(lines) < 2 or covered or not any(value.split for _, _, value in noises):
            continue
        figure = f"epsilon {sum(rates):.6g} for a person who changes each figure by 1"
        figure = figure if known else "the sum of the epsilons of all levels"
        yield _make_finding("finding-13", noises[-1][0], name=source, how=_format_lines(lines), figure=figure)


# total privacy loss


def _check_totals(sums: Sequence[DataSpending], facts: ScriptFacts) -> Iterator[Finding]:
    for source, all_, times, total in sums:
        endless = next((each.release for each in all_ if math.isinf(each.release.times)), None)
        if endless:
            yield _make_finding("repeated-without-end", endless.place, name=source, how=endless.name)
            continue
        if total is None or total[0].epsilon <= max(facts.stated, default=0.0) * (1 + 1e-9):
            continue
        how = f"{times:.0f} times, in {_format_lines(each.release.place.line for each in all_)}"
        place, epsilon, figure = all_[-1].release.place, total[0].epsilon, f"{total[0]}{total[1]}"
        yield _make_finding("repeated", place, name=source, how=how, figure=figure, epsilon=epsilon)


def _format_lines(lines: Iterable[int]) -> str:
    each = list(dict.fromkeys(map(str, lines)))
    return f"line{'s' * (len(each) > 1)} {', '.join(each)}"
