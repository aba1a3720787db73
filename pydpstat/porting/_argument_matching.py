"""R's matching of a call's arguments to the formal arguments of a function."""

from __future__ import annotations

from collections.abc import Collection, Sequence

DOTS = "..."


class AmbiguousArguments(ValueError):
    """Arguments that R cannot match: one fits two formal arguments, or two fit one."""


def match_arguments(
    formals: Sequence[str], names: Sequence[str | None], empty: Collection[int] = ()
) -> list[str | None]:
    """Match the arguments of a call to formal arguments: by exact name, by partial name, then by position.

    Parameters
    ----------
    formals
        The names of the formal arguments, one of which may be ``...``.
    names
        The name of each argument of the call, None where it has none.
    empty
        The zero-based positions of empty arguments. Without a name, they match a formal argument; with a
        name, they leave it free.

    Returns
    -------
    list
        The formal argument of each argument, ``...`` if it is one of the dots, or None if it is unused,
        which is an error in R.

    Raises
    ------
    AmbiguousArguments
        If a name fits several formal arguments, or several names fit one.

    Examples
    --------
    >>> match_arguments(["x", "trim", "na.rm", "..."], [None, "na", None, "weights"])
    ['x', '...', 'trim', '...']
    >>> match_arguments(["x", "times", "length.out", "each", "..."], [None, None, "len"])
    ['x', 'times', 'length.out']
    """
    found: list[str | None] = [None] * len(names)
    for formal in formals:
        exact = [k for k, name in enumerate(names) if name == formal != DOTS]
        _check_single_match(formal, exact)
        for k in exact:
            found[k] = formal
    taken = {each for each in found if each}
    before = formals[: formals.index(DOTS)] if DOTS in formals else formals
    partial: set[int] = set()
    for formal in (each for each in before if each not in taken):
        beginnings = enumerate(name or None for name in names)
        near = [k for k, name in beginnings if name and found[k] not in taken and formal.startswith(name)]
        for k in partial.intersection(near):
            raise AmbiguousArguments(f"{names[k]} may be {found[k]} or {formal}")
        _check_single_match(formal, near)
        for k in near:
            found[k] = formal
            partial.add(k)
    given = {each for k, each in enumerate(found) if k not in empty}
    free = [each for each in before if each not in given]
    for k, name in enumerate(names):
        if found[k] is None and not name and free:
            found[k] = free.pop(0)
        elif found[k] is None and DOTS in formals:
            found[k] = DOTS
    return found


def _check_single_match(formal: str, places: Sequence[int]) -> None:
    if len(places) > 1:
        raise AmbiguousArguments(f"{formal} is given {len(places)} times")
