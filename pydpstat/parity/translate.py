"""R's text in Python: ``DPpack::meanDP(x, 1, 0, 5)`` is ``dppack.meanDP(x, 1, 0, 5, rng=rng)``."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Sequence
from functools import cache
from importlib import import_module
from keyword import iskeyword

_TOKEN = re.compile(
    r"""(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
    |(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)L?
    |(?P<name>(?:\w+:::?)?(?:[A-Za-z.][\w.]*|`[^`]+`))
    |(?P<sign><-|[<>=!]=|&&|\|\||%[^%]*%|[-+*/^!<>=:&|$@(){}\[\],;\n])
    |[ \t]+|\#.*""",
    re.VERBOSE,
)
_CONSTANTS = {
    "TRUE": "True",
    "FALSE": "False",
    "NULL": "None",
    "NA": "None",
    "NA_real_": "math.nan",
    "NaN": "math.nan",
    "Inf": "math.inf",
}
# & and | are missing: Python binds them tighter than comparisons
_BINARY = {"<-": "=", "^": "**", "%*%": "@", "%%": "%", "%/%": "//", "&&": "and", "||": "or"}
_BINARY |= {sign: sign for sign in ("+", "-", "*", "/", "<", ">", "<=", ">=", "==", "!=")}
_MIRRORS = ("DPpack", "diffpriv")
# what only holds or shows a value
_TRANSPARENT = {"as.numeric", "unlist", "suppressMessages", "suppressWarnings", "invisible"}
# of a line
_ENDS = ("\n", ";", "")
# all but the first, one, or several elements; or such rows, with all columns
_INDEX = re.compile(r"(?:-1|(\d+)(?::(\d+))?),?")
# methods that draw
_DRAWING = {"fit"}
# whose draws are those of the function that they are given
_DRAWN_FROM = {"sensitivitySampler", "sensitivitySamplerManual"}
# arguments that decide what is shown beside the value
_ASIDE = {"plot", "names"}
# names, or empty texts, and values
Arguments = list[tuple[str, str]]


class Untranslated(ValueError):
    """Text that this small part of R's grammar does not cover; the text says what."""


def translate(text: str, names: Collection[str] = ()) -> str:
    """Return lines of R, or arguments of a call, in Python, as comparisons write them.

    The lines have assignments, calls, operators, functions of one expression; neither branches nor loops.
    Anything else is an ``Untranslated``. `names` are variables that the text finds; other names may be R's
    functions.

    Examples
    --------
    >>> print(translate("m <- DPpack::svmDP$new('l2', 1, TRUE)\\nm$fit(data.frame(x, y), l, c(1, .5))"))
    m = dppack.svmDP('l2', 1, True)
    m.fit(pd.DataFrame({'x': x, 'y': y}), l, [1, .5], rng=rng)
    >>> translate("diffpriv::DPMechLaplace(target = function(v) 2 * mean(v), dims = 1)")
    'diffpriv.DPMechLaplace(target=lambda v: 2 * r.mean(v), dims=1)'
    """
    tokens, place = [], 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            raise Untranslated(f"{text[place:]!r} is not read")
        if found.lastgroup:
            tokens.append((found.lastgroup, found[found.lastgroup]))
        place = found.end()
    lines = "\n".join(_Lines(tokens, names).all())
    return f"{lines}\n" if text.endswith("\n") else lines


def written(template: str, **pieces: str | tuple[str, str]) -> tuple[str, str]:
    """Put pieces into R's text, and return it with its Python text, which is empty where it is a translation.

    The template is R's text with the pieces' names in braces. A piece is R's text, with Python's where that
    is not its translation.

    Examples
    --------
    >>> written("mean({x})", x="x[-1]")
    ('mean(x[-1])', '')
    >>> written("mean({x})", x=("as.matrix(x)", "x.T"))
    ('mean(as.matrix(x))', 'r.mean(x.T)')
    """
    r = {name: each if isinstance(each, str) else each[0] for name, each in pieces.items()}
    held, python = dict(r), {}
    for name, each in pieces.items():
        if not isinstance(each, str):
            # a name holds the place, with what separates the piece from its neighbors
            before, after = ", " * each[0].startswith(", "), "\n" * each[0].endswith("\n")
            held[name] = f"{before}piece_{name}{after}"
            python[held[name]] = each[1]
    if not python:
        return template.format(**r), ""
    text = translate(template.format(**held))
    for place, piece in python.items():
        text = text.replace(place, piece)
    return template.format(**r), text


def python_name(name: str) -> str:
    """Return a name of R's in Python: dots are underscores, Python's own words get one more.

    Examples
    --------
    >>> python_name("type.DP"), python_name("lambda")
    ('type_DP', 'lambda_')
    """
    plain = name.replace(".", "_")
    return f"{plain}_" if iskeyword(plain) else plain


@cache
def _draws(module: str, name: str) -> bool:
    """Tell whether a function of a mirror takes a stream."""
    thing = getattr(import_module(f"pydpstat.{module}"), name, None)
    return name not in _DRAWN_FROM and callable(thing) and "rng" in inspect.signature(thing).parameters


@cache
def _of_r(name: str) -> str | None:
    """Return R's own function in Python: of the stream, or of R's arithmetic."""
    from pydpstat import r_arithmetic
    from pydpstat.random.r_stream import RRandom

    for home, place in (("rng", RRandom), ("r", r_arithmetic)):
        if not name.startswith("_") and hasattr(place, python_name(name)):
            return f"{home}.{python_name(name)}"
    return None


class _Lines:
    """R's tokens, read from the left."""

    def __init__(self, tokens: Sequence[tuple[str, str]], names: Collection[str]) -> None:
        self._tokens = [*tokens, ("end", "")]
        self._place = 0
        self._depth = 0
        assigned = [name for (_, name), (_, sign) in zip(tokens, tokens[1:]) if sign == "<-"]
        self._names = {*names, *assigned}

    def all(self) -> list[str]:
        """Return every line."""
        lines = []
        while self._next[0] != "end":
            if self._next[1] in ("\n", ";"):
                self._place += 1
            else:
                lines.append(self._line())
        return lines

    def _line(self) -> str:
        """Read an expression, or arguments without their brackets, with a comma before them or not."""
        text = ""
        while self._next[1] not in _ENDS:
            if self._skip(","):
                text += ", "
            name = self._name()
            text += (f"{python_name(name)}=" if name else "") + self._expression(",", *_ENDS)
        return text

    @property
    def _next(self) -> tuple[str, str]:
        # inside brackets a line goes on
        while self._depth and self._tokens[self._place][1] == "\n":
            self._place += 1
        return self._tokens[self._place]

    def _take(self, *wanted: str) -> tuple[str, str]:
        token = self._next
        if wanted and token[1] not in wanted:
            raise Untranslated(f"{token[1]!r} where one of {wanted} is needed")
        self._place += 1
        return token

    def _skip(self, sign: str) -> bool:
        """Go past a sign if it comes next, and return whether it did."""
        found = self._next[1] == sign
        self._place += found
        return found

    def _expression(self, *ends: str) -> str:
        """Read operands and the operators between them."""
        text = self._operand()
        product = False
        while self._next[1] not in ends:
            sign = self._take(*_BINARY)[1]
            if product and sign[0] == "%":
                raise Untranslated(f"{sign} binds tighter than * and / in R only")
            product = sign in ("*", "/") or product and sign == "^"
            while self._skip("\n"):
                pass
            text += f" {_BINARY[sign]} {self._operand()}"
        return text

    def _operand(self) -> str:
        kind, text = self._take()
        if text in ("-", "!"):
            return f"{'not ' if text == '!' else text}{self._operand()}"
        if text == "(":
            self._depth += 1
            text = f"({self._expression(')')})"
            self._take(")")
            self._depth -= 1
        elif text == "function":
            text = self._function()
        elif kind == "name":
            text = self._call(text) if self._next[1] == "(" else self._word(text)
        elif kind not in ("number", "string"):
            raise Untranslated(f"{text!r} where a value is needed")
        return self._followed(text)

    def _followed(self, text: str) -> str:
        """Read what follows a value: its parts, its elements, a call."""
        attribute = ""
        while self._next[1] in ("$", "@", "(", "["):
            sign = self._take()[1]
            if sign in "$@":
                attribute = self._take()[1]
                text += "" if attribute == "new" else f".{python_name(attribute)}"
            elif sign == "(":
                text += _called(self._arguments(), attribute in _DRAWING)
            else:
                text += f"[{self._index()}]"
        return text

    def _index(self) -> str:
        """Read the number or the range of elements, or of rows; R counts from 1."""
        ends = 2 if self._skip("[") else 1
        text = ""
        while self._next[1] not in ("]", ""):
            text += self._take()[1]
        for _ in range(ends):
            self._take("]")
        found = _INDEX.fullmatch(text)
        if found is None:
            raise Untranslated(f"{text!r} as an index")
        first, last = found.groups()
        if last:
            return f"{int(first) - 1 or ''}:{last}"
        return str(int(first) - 1) if first else "1:"

    def _function(self) -> str:
        """Read a function's parameters and the one expression that it returns."""
        self._take("(")
        outer, self._names = self._names, set(self._names)
        parameters = []
        while self._next[1] != ")":
            name = self._take()[1]
            self._names.add(name)
            parameters.append(python_name(name))
            if self._skip("="):
                parameters[-1] += f"={self._expression(',', ')')}"
            self._skip(",")
        self._take(")")
        ends = (",", ")", "]") if self._depth else (",", *_ENDS)
        body = self._expression(*ends)
        self._names = outer
        given = f"({', '.join(parameters)})"
        if parameters and body.endswith(given) and re.fullmatch(r"[\w.]+", body.removesuffix(given)):
            # a function that only hands its arguments on is that function
            return body.removesuffix(given)
        return f"lambda {', '.join(parameters)}: {body}"

    def _arguments(self) -> Arguments:
        """Read the arguments of a call, from after the opening bracket to the closing one."""
        self._depth += 1
        found = []
        while self._next[1] != ")":
            found.append((self._name(), self._expression(",", ")")))
            self._skip(",")
        self._take(")")
        self._depth -= 1
        return found

    def _name(self) -> str:
        """Read the name that an argument is given by, or return the empty text."""
        kind, text = self._next
        if kind not in ("name", "string") or self._tokens[self._place + 1][1] != "=":
            return ""
        self._place += 2
        return text.strip("'\"")

    def _word(self, name: str) -> str:
        """Return a name that is not called."""
        package, _, plain = name.replace(":::", "::").rpartition("::")
        if package in _MIRRORS:
            return f"{package.lower()}.{python_name(plain)}"
        if not package and name in self._names:
            return python_name(name)
        return _CONSTANTS.get(name) or _of_r(plain) or python_name(plain)

    def _call(self, name: str) -> str:
        """Read a call by name."""
        self._take()
        arguments = self._arguments()
        package, _, plain = name.replace(":::", "::").rpartition("::")
        if package in _MIRRORS:
            target = python_name(plain)
            return self._word(name) + _called(arguments, _draws(package.lower(), target))
        values = [value for _, value in arguments]
        if not package and name in self._names:
            return python_name(name) + _called(arguments)
        if plain in _TRANSPARENT:
            return values[0]
        if plain in _MADE:
            return _MADE[plain](arguments)
        home = _of_r(plain)
        if home is None:
            raise Untranslated(f"no counterpart of {name}")
        return home + _called([each for each in arguments if each[0] not in _ASIDE])


def _called(arguments: Arguments, draws: bool = False) -> str:
    """Return arguments in their brackets, and the stream where a function draws."""
    parts = [f"{python_name(name)}={value}" if name else value for name, value in arguments]
    return f"({', '.join([*parts, *['rng=rng'] * draws])})"


def _list(arguments: Arguments) -> str:
    if any(name for name, _ in arguments):
        return f"{{{', '.join(f'{name!r}: {value}' for name, value in arguments)}}}"
    return f"[{', '.join(value for _, value in arguments)}]"


def _matrix(arguments: Arguments) -> str:
    values, *rows = (value for _, value in arguments)
    if not rows:
        return f"{values}.reshape(-1, 1)"
    return f"{values}.reshape({rows[0]}, -1, order='F')"


# what R makes values with
_MADE: dict[str, Callable[[Arguments], str]] = {
    "c": lambda parts: f"[{', '.join(value for _, value in parts)}]",
    "numeric": lambda parts: "[]",
    "list": _list,
    "data.frame": lambda parts: f"pd.DataFrame({_list([(name or value, value) for name, value in parts])})",
    "cbind": lambda parts: f"np.column_stack({_list(parts)})",
    "matrix": _matrix,
    "predict": lambda parts: f"diffpriv.predict{_called(parts)}",
}
