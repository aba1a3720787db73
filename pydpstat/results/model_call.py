"""The two calls that made a fitted model, as text: the constructor and `fit`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydpstat.results.call import Call, Named, r_name


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A constructor's call and the call of `fit`, without data.

    Parameters
    ----------
    function : str
        The class's name.
    arguments : tuple of (str, value)
        The constructor's arguments, by their Python names; a function is shown by its name.
    fit_arguments : tuple of (str, value)
        The public arguments of ``fit``.
    private : tuple of str
        Names of further data arguments of ``fit``, such as ``"weights"``, where they were given.
    package : str
        R's package where the class is a mirror, else empty.
    """

    function: str
    arguments: tuple[tuple[str, Any], ...]
    fit_arguments: tuple[tuple[str, Any], ...]
    private: tuple[str, ...] = ()
    package: str = "DPpack"

    def __post_init__(self) -> None:
        # plain copies, as those of a Call
        for name in ("arguments", "fit_arguments"):
            object.__setattr__(self, name, Call("", (), tuple(getattr(self, name))).arguments)

    def python(self) -> str:
        """Return the calls as Python would show them."""
        return f"{Call(self.function, (), self.arguments).python()}.{self._fit('').python()}"

    def r(self) -> str | None:
        """Return the same model as an R expression; None where R has no such class."""
        if not self.package:
            return None
        made = Call(f"{r_name(self.function)}$new", (), self.arguments, self.package).r()
        fitted = self._fit("x").r()
        return f"{made}${str(fitted).removeprefix('x::')}"

    def _fit(self, package: str) -> Call:
        data = (("X", "X"), ("y", "y"))
        named = tuple((name, Named(name)) for name in self.private)
        return Call("fit", data, (*self.fit_arguments, *named), package)
