"""Design of a study: data with public facts that are declared once."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pydpstat import _checks as checks
from pydpstat._answering import HelpfulErrors, explain_wrong_calls, hide_frames
from pydpstat._data.columns import Data, GivenBounds
from pydpstat._release.charging import Chargeable, check_budget
from pydpstat._release.options import Missing
from pydpstat.designs._conditions import Condition
from pydpstat.designs._facts import Facts, check_facts, resolve_unit_and_neighbors
from pydpstat.designs._methods import call_for_design, call_plan
from pydpstat.designs._page import describe_design, make_design_html
from pydpstat.designs._signatures import DESIGN_METHODS, CachedCall, Calls, get_method_signature, make_docstring
from pydpstat.designs._views import NewColumn, find_new_columns, get_design_columns, read_design_data, select_columns
from pydpstat.errors import PydpstatError
from pydpstat.random import source_from


class Design(HelpfulErrors, Calls):
    """Data with their public facts. Every function of pydpstat is a method.

    `design` returns it. A method has its function's name and result. It takes neither data nor declared
    facts: variables are given by name, groups by a formula.

    Attributes
    ----------
    facts : Facts
        Declared facts.
    columns : tuple of str
        Columns of the data, or the declared columns if there are no data.
    condition : Condition or None
        Condition of a subset.
    budget : Budget or None
        Budget to which releases are charged.
    rng : None, numpy.random.Generator or RRandom
        Source of randomness.

    See Also
    --------
    design, plan : its constructor, and the accuracy of a release before it is made.

    Examples
    --------
    >>> import pandas as pd, pydpstat as dp
    >>> frame = pd.DataFrame({"age": [30, 41, 52] * 200, "sex": ["f", "m", "f"] * 200})
    >>> people = dp.design(frame, bounds={"age": (18, 90)}, levels={"sex": ["f", "m"]}, rng=1)
    >>> people.mean("age", 1.0, by="sex").value.shape
    (3,)
    """

    __slots__ = ("_data", "_cached_calls", "budget", "columns", "condition", "facts", "rng")

    def __init__(
        self,
        data: object,
        facts: Facts,
        columns: tuple[str, ...],
        condition: Condition | None,
        budget: Chargeable | None,
        rng: object,
    ) -> None:
        self._data, self.facts, self.columns, self.condition = data, facts, columns, condition
        self.budget, self.rng = budget, rng
        self._cached_calls: dict[tuple[str, str, str | None] | None, CachedCall] = {}

    def subset(self, condition: str) -> Design:
        """Return the design of the records for which a condition on declared columns holds.

        Parameters
        ----------
        condition : str
            Comparisons of declared columns with values, combined by ``and``, ``or`` and ``not``, as
            ``"age >= 18 and region in ('north', 'south')"``. A record for which it is unknown, because a
            value is missing, is left out.

        Raises
        ------
        PydpstatError
            If it cannot be parsed or is not on declared columns, or if neighbors are bounded, since the number of
            remaining records is private.

        Examples
        --------
        >>> import pandas as pd, pydpstat as dp
        >>> people = dp.design(pd.DataFrame({"age": [12, 30, 41] * 50}), bounds={"age": (0, 110)}, rng=1)
        >>> bool(80 < people.subset("age >= 18").count(1.0).value < 120)
        True
        """
        if not isinstance(condition, str):
            raise PydpstatError(f"condition must be a string, as 'age >= 18'; got {checks.describe_value(condition)}.")
        if self.facts.neighbors == "bounded":
            hint = "the number of records in it is private. Declare dp.design(..., neighbors='unbounded')."
            raise PydpstatError(f"subset needs neighbors 'unbounded': {hint}")
        text = condition if self.condition is None else f"({self.condition.text}) and ({condition})"
        combined_condition = Condition(text, self.facts.clipping_bounds)
        self.facts.check_condition(combined_condition, self.columns)
        return Design(self._data, self.facts, self.columns, combined_condition, self.budget, self.rng)

    def assign(self, *, bounds: GivenBounds | None = None, **columns: str) -> Design:
        """Return the design with columns computed from declared ones, record by record.

        Parameters
        ----------
        bounds : (float, float), or dict of them by column, optional
            Public bounds of the new columns. By default they are computed from the bounds of the columns by interval
            arithmetic; if these are not finite, as for a logarithm whose argument may be 0, they must be given.
        **columns : str
            For each new column an expression of ``+ - * / **``, ``abs exp expm1 log log2 log10 log1p sqrt``, or a
            condition as in `subset`, which makes Booleans. It may use columns that were assigned before. ``age^2``,
            ``I(age**2)`` and functions with the prefix of NumPy are read as well.

        Returns
        -------
        Design

        Raises
        ------
        PydpstatError
            If an expression cannot be parsed, is not on declared columns, has no finite bounds and none are
            given, or if there is a column of that name.

        Notes
        -----
        Guarantee: the new value of a record depends on this record only, so neighbors remain neighbors.
        Columns are clipped to their bounds first. A value that is undefined, such as the logarithm of 0, is
        missing if `missing` has a rule for it, else the lower bound: an error would reveal a record.

        Examples
        --------
        >>> import pandas as pd, pydpstat as dp
        >>> frame = pd.DataFrame({"income": [20e3, 35e3, 50e3] * 300})
        >>> people = dp.design(frame, bounds={"income": (1e3, 200e3)}, rng=1)
        >>> people = people.assign(log_income="log(income)", high="income > 40_000")
        >>> people.facts.bounds["log_income"]
        (6.907755278982137, 12.206072645530174)
        >>> bool(10 < people.mean("log_income", 1.0).value < 11), people.facts.levels["high"]
        (True, (False, True))
        """
        facts = self.facts.with_columns(self.columns, columns, bounds)
        return Design(self._data, facts, (*self.columns, *columns), self.condition, self.budget, self.rng)

    def plan(
        self, function: str, variables: str | Sequence[str] | float | None = None, *places: float, **options: object
    ) -> Any:
        """Plan a release from the declared facts, as `pydpstat.plan` does.

        Parameters
        ----------
        function : str
            Name of the function.
        variables : str or list of str, optional
            Names of variables, or a formula. `count` needs none, and accepts its epsilon here.
        *places : float
            Positional arguments of the design's method: epsilon, preceded by the q of `quantile`.
        **options
            As in `pydpstat.plan`, such as ``n=``, ``by=`` and the epsilon, which may be omitted.

        Examples
        --------
        >>> import pydpstat as dp
        >>> facts = dp.design(bounds={"income": (0, 200_000)}, neighbors="bounded")
        >>> round(facts.plan("mean", "income", 0.1, n=2000).noise_scale)
        1000
        """
        return call_plan(self, function, variables, places, options)

    def _suggest_attribute(self, name: str) -> str:
        hint = f"{name!r} is a column, whose values are private: release it, for example .mean({name!r}, 1.0)"
        if name == "summary":
            hint = "print it, print(design), for what is declared; a release has a summary()"
        return hint if name in (*self.columns, "summary") else HelpfulErrors._suggest_attribute(self, name)

    def _select_columns(
        self, names: list[str], new_columns: Sequence[NewColumn], single: bool, zero_column: str | None = None
    ) -> object:
        """Return columns of the data, or of the subset's records, as `select_columns` does. Private."""
        new_columns = find_new_columns(self.facts, names, self.condition, new_columns)
        return select_columns(self._data, names, self.condition, new_columns, single, zero_column)

    def to_dict(self) -> dict[str, Any]:
        """Return the declared facts as plain values, for a file; `from_dict` reads them."""
        subset = {} if self.condition is None else {"subset": self.condition.text}
        return {**self.facts.to_dict(), **subset}

    @classmethod
    def from_dict(
        cls, data: Data, facts: Mapping[str, Any], *, budget: Chargeable | None = None, rng: object = None
    ) -> Design:
        """Return a design of data with facts from `to_dict`."""
        field_names = [*Facts._fields, "subset"]
        if not isinstance(facts, Mapping) or not {*facts} <= {*field_names}:
            raise PydpstatError(
                f"facts must have the form that to_dict returns; got {checks.describe_value(facts)}. It has "
                f"{', '.join(field_names)}."
            )
        declared = dict(facts)
        assigned, subset = declared.pop("assigned", {}), declared.pop("subset", None)
        later = {name: pair for name, pair in (declared.get("bounds") or {}).items() if name in assigned}
        for argument in ("bounds", "levels"):
            declared[argument] = {name: e for name, e in (declared.get(argument) or {}).items() if name not in assigned}
        new_design = design(data, **declared, budget=budget, rng=rng)
        new_design = new_design.assign(bounds=later, **assigned) if assigned else new_design
        return new_design if subset is None else new_design.subset(subset)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Design):
            return NotImplemented
        return self._data is other._data and self.facts == other.facts and self.condition == other.condition

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, ...]:
        # a design is pickled without its data
        return Design, (None, self.facts, self.columns, self.condition, None, None)

    def __repr__(self) -> str:
        return describe_design(self)

    def _repr_html_(self) -> str:
        return make_design_html(self)


class _MethodDescriptor:
    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        return make_docstring(self.name)

    def __get__(self, instance: Design | None, owner: type) -> _MethodDescriptor | _BoundMethod:
        return self if instance is None else _BoundMethod(instance, self.name)


class _BoundMethod:
    __slots__ = ("__name__", "_design")

    def __init__(self, design: Design, name: str) -> None:
        self._design, self.__name__ = design, name

    def __call__(self, *arguments: object, **options: object) -> object:
        if self._design._data is None:
            raise PydpstatError("data must be given: this design can only plan. Use dp.design(frame, ...).")
        try:
            return call_for_design(self._design, self.__name__, arguments, options)
        except PydpstatError as error:
            raise hide_frames(error) from error.__cause__

    @property
    def __signature__(self) -> inspect.Signature:
        return get_method_signature(self.__name__).signature

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        return make_docstring(self.__name__)

    def __repr__(self) -> str:
        return f"<method {self.__name__} of a design>"


for _name in DESIGN_METHODS:
    setattr(Design, _name, _MethodDescriptor(_name))


@explain_wrong_calls
def design(
    data: Data | None = None,
    *,
    bounds: Mapping[str, object] | None = None,
    levels: Mapping[str, object] | None = None,
    unit: str | None = None,
    max_records: int | None = None,
    weights: str | None = None,
    strata: str | None = None,
    missing: Missing | Mapping[str, Missing] = "error",
    neighbors: str | None = None,
    other: str | None = "other",
    budget: Chargeable | None = None,
    rng: object = None,
) -> Design:
    """Declare public facts about data once, for all releases and tests.

    Parameters
    ----------
    data : frame, dict of columns, or table of an engine, optional
        Data with named columns in any form that pydpstat reads. None makes a design for `Design.plan` only.
        No record is read.
    bounds : dict of (float, float) by column, optional
        Public bounds, chosen without looking at the data.
    levels : dict of lists by column, optional
        Public levels, or ``"declared"`` for Categoricals whose categories are public. Those of each column by name.
    unit : str, optional
        Column that identifies the unit of each record, such as a person's id. All records of a unit are protected
        together, and `neighbors` differ in one unit. The default is that of `budget`.
    max_records : int, optional
        Largest number of records of a unit that are used, drawn at random for each release. The default is 1. In tests,
        models, weighted statistics and population intervals one is used, so that records are independent.
    weights : str, optional
        Column of survey weights, which needs bounds.
    strata : str, optional
        Column of the strata of the sampling design, which needs levels: weighted statistics that are
        not by group then have intervals based on the variances within strata.
    missing : {"error", "drop"}, number, level, or dict by column, default "error"
        Treatment of missing values: ``"error"`` raises an error, ``"drop"`` drops them (unbounded neighbors only). A
        scalar replaces them: a number or a level, as in the functions. A dict has one of these for each column; a level
        is then one of this column alone, and a column that it does not name has ``"error"``.
    neighbors : {"bounded", "unbounded"}, optional
        ``"bounded"``: one record is replaced, and the number of records is public. ``"unbounded"``: one record is added
        or removed, and the number of records is private. With `unit`, units are replaced, added or removed. The default
        is that of `budget`, or ``"unbounded"`` without it.
    other : str or None, default "other"
        Name of an additional level for values that are not among the levels. None leaves records with such values out.
        In a regression they count as the reference level.
    budget : Budget, optional
        Budget to which all releases are charged.
    rng : None, int, numpy.random.Generator or RRandom, optional
        Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator. One
        generator is used for all releases.

    Returns
    -------
    Design
        With every function as a method: ``people.mean("income", 0.1, by="region")``.

    Raises
    ------
    PydpstatError
        If a fact is not allowed, or refers to a column that the data do not have.

    See Also
    --------
    Design, Budget : the returned class, and a limit for all releases of a design.

    Notes
    -----
    Guarantee: a design itself releases nothing. Each method has the guarantee of its function, on condition that
    the declared facts are public and, if values are compared, that the types of the columns are public. Lists
    have no types: each value is read without conversion.

    References
    ----------
    Lumley, T. (2004). Analysis of complex survey samples. Journal of Statistical Software 9(8).

    Examples
    --------
    >>> import pandas as pd, pydpstat as dp
    >>> frame = pd.DataFrame({"income": [20e3, 35e3, 50e3] * 300, "sex": ["f", "m", "f"] * 300})
    >>> people = dp.design(frame, bounds={"income": (0, 200e3)}, levels={"sex": ["f", "m"]}, rng=1)
    >>> print(people)
    Design
    protects  a record, unbounded neighbors
    missing   error
      income  from 0 to 200000
      sex     2 levels ['f', 'm']
    >>> people.count(0.5, by="sex").value.shape
    (3,)
    """
    source_from(rng)
    check_budget(budget)
    design_data = None if data is None else read_design_data(data)
    columns = None if design_data is None else get_design_columns(design_data)
    unit, neighbors = resolve_unit_and_neighbors(unit, neighbors, budget)
    facts = check_facts(columns, bounds, levels, unit, max_records, weights, strata, missing, neighbors, other)
    if (seed := checks.as_integer(rng)) is not None:
        rng = np.random.default_rng(seed)
    return Design(design_data, facts, columns if columns is not None else facts.declared_columns, None, budget, rng)


design.from_dict = Design.from_dict  # type: ignore[attr-defined]
