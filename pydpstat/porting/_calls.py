"""Calls of R's functions, of the packages', and of the script's own, as Python expressions."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace

from pydpstat.porting import _matching as matching
from pydpstat.porting import r
from pydpstat.porting._code import (
    ATOM,
    ELEMENT,
    NUMBERS,
    NUMERIC,
    SCALARS,
    TERNARY,
    VECTOR,
    VECTORS,
    Code,
    Untranslated,
    called,
    number,
    of_one_kind,
    python_name,
    quoted,
)
from pydpstat.porting._expressions import CONSTANTS, Expressions
from pydpstat.porting._scope import Variable, call, function_name, nodes, word
from pydpstat.porting._syntax import Argument, Call, Constant, Function, Name, Node

# what only shows a value, or hides a message
TRANSPARENT = {"suppressMessages", "suppressWarnings", "invisible", "identity", "force"}
_NATIVE = {"sqrt": "np.sqrt", "abs": "np.abs", "floor": "np.floor", "ceiling": "np.ceil"}
# functions of a whole vector, for which the index of a data frame's column does not matter
_SUMMARIES = set(
    "mean sum var sd median min max range quantile IQR mad fivenum table any all prod cor cov tapply "
    "weighted_mean summary unique which_max which_min t_test wilcox_test is_in known levels nlevels".split()
)
# kinds of results; "same" is that of the first argument
_KINDS = {
    "number": "mean sum var sd median min max prod nrow ncol length IQR mad weighted_mean cor",
    "flag": "any all identical is_null is_numeric is_character is_factor is_logical is_function anyNA isTRUE",
    "flags": "duplicated complete_cases",
    "text": "toString sprintf1",
    "texts": "names levels unique_names colnames rownames letters",
    "positions": "which order seq_len seq_along",
    "doubles": "cumsum cumprod diff seq as_numeric numeric fitted residuals rowSums rowMeans",
    "same": "rev sort unique head tail round signif trunc exp log log2 log10 log1p expm1 pmin pmax droplevels "
    "na_omit unname cummax cummin",
    "matrix": "matrix t solve diag cbind crossprod",
    "named": "tapply colMeans colSums table prop_table proportions quantile coef",
    "frame": "read_csv read_table data_frame merge aggregate expand_grid as_data_frame distinct arrange",
    "list": "lapply strsplit Map Filter as_list",
    "dict": "split",
    "factor": "factor as_factor cut",
    "object": "lm glm t_test wilcox_test chisq_test summary hist prop_test binom_test cor_test",
}
_RESULT = {name: kind for kind, names in _KINDS.items() for name in names.split()}
_TAKES_NAMES = {"FUN", "f", "what", "FUNCTION"}


class Calls(Expressions):
    """What calls are in Python."""

    # functions of the script, by name, and how often a name is assigned in it
    functions: dict[str, Function]
    # the packages that are attached
    attached: set[str]
    _special: dict[str, Callable[[Call], Code]]

    @abstractmethod
    def hoisted(self, node: Function) -> str:
        """Define a function before the statement, and return its name."""

    @abstractmethod
    def is_verb(self, name: str) -> bool:
        """Return whether a function's arguments are about the columns of a data frame."""

    @abstractmethod
    def verb(self, node: Call, name: str) -> Code | None:
        """Return a call whose arguments are about the columns of a data frame."""

    # names

    def named(self, node: Name) -> Code:
        """Return a variable, a column, a constant, or a function as a value."""
        name = node.name
        variable = self._local(name)
        if variable is None and self.frames:
            text, frame, _ = self.frames[-1]
            column = (
                self.column(Code(text, "frame", missing=1), name)
                if (frame.columns is None or name in frame.columns)
                else None
            )
            variable = self.scope.find(name)
            if column and variable is not None and frame.columns is None:
                given = [text, quoted(name), variable.python]
                return Code(called("r.column_or", given), "column", frame=text, missing=2)
            if column is not None:
                return column
        variable = variable or self.scope.find(name)
        if variable is not None:
            return Code(variable.python, variable.kind, missing=variable.missing)
        if name in CONSTANTS:
            return CONSTANTS[name]
        return Code(self.reference(name), "function")

    def _local(self, name: str) -> Variable | None:
        """Return a variable of a function that is inside the data frame's expressions."""
        scope = self.scope
        outside = self.frames[-1][2] if self.frames else None
        while scope is not outside and scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return None

    def reference(self, name: str, package: str = "") -> str:
        """Return one of R's functions, or of the packages', as a value."""
        plain = python_name(name)
        package = "" if package in matching.OF_R else package
        for home in matching.PACKAGES:
            if package == home or (not package and home in self.attached):
                if matching.exports(home, plain):
                    return f"{home.lower()}.{plain}"
        if name in self.assigned_somewhere:
            return self.global_name(name)
        if matching.stream_function(name) and name not in matching.DERIVED:
            return f"rng.{plain}"
        if name in _NATIVE:
            return _NATIVE[name]
        if not plain.startswith("_") and callable(getattr(r, plain, None)) and not package:
            return f"r.{plain}"
        raise Untranslated(f"{name} is neither assigned in the script nor has a counterpart")

    # calls

    def called(self, node: Call) -> Code:
        """Return a call of a function that is no operator."""
        function = node.function
        if isinstance(function, Call):
            operator = function_name(function) if isinstance(function.function, Name) else ""
            if operator in ("::", ":::"):
                package, name = (word(each.value) for each in function.arguments)
                return self._of_package(node, package, name)
            if operator in ("$", "@"):
                return self._method(node, function)
        if isinstance(function, Name):
            return self._by_name(node, function.name)
        target = self.value(function)
        return Code(called(target.at(ATOM), self._plainly(node.arguments)), missing=1)

    def _by_name(self, node: Call, name: str) -> Code:
        variable = self.scope.find(name)
        base = self._is_base(name)
        if variable is not None and variable.kind == "" and base and variable.made is None:
            raise Untranslated(f"{name} may be a function or a value here")
        if variable is not None and (variable.kind in ("", "function", "object") or not base):
            return self._of_script(node, name, variable)
        if variable is None and name in self.functions and not base:
            return self._of_script(node, name, Variable(self.global_name(name), made=self.functions[name]))
        if name in TRANSPARENT and node.arguments:
            return self.value(node.arguments[0].value)
        if name in self._special:
            return self._special[name](node)
        if (found := self.verb(node, name)) is not None:
            return found
        for package in matching.PACKAGES:
            if package in self.attached and matching.exports(package, python_name(name)):
                return self._of_mirror(node, package, name)
        if matching.stream_function(name):
            return self._drawn(node, name)
        return self._of_r(node, name)

    def _is_base(self, name: str) -> bool:
        plain = python_name(name)
        return (
            name in self._special
            or name in TRANSPARENT
            or self.is_verb(name)
            or (not plain.startswith("_") and callable(getattr(r, plain, None)))
            or matching.stream_function(name)
        )

    def _of_package(self, node: Call, package: str, name: str) -> Code:
        if package in matching.PACKAGES:
            return self._of_mirror(node, package, name)
        if package in matching.OF_R:
            inside = self.attached
            self.attached = inside | {package}
            try:
                return self._by_name(replace(node, function=Name(name)), name)
            finally:
                self.attached = inside
        if (package, name) in (
            ("rmutil", "rlaplace"),
            ("extraDistr", "rlaplace"),
            ("smoothmest", "rdoublex"),
        ):
            return self._drawn(node, "rlaplace")
        raise Untranslated(f"the package {package} has no counterpart")

    def _of_mirror(self, node: Call, package: str, name: str) -> Code:
        plain = python_name(name)
        module = matching.PACKAGES[package]
        if not matching.exports(package, plain):
            raise Untranslated(f"{package} exports no {name}")
        thing = getattr(module, plain)
        known = matching.formals(thing)
        given = self._matched(node.arguments, known, f"{package}::{name}", None, package == "DPpack")
        stream = ["rng=rng"] * matching.draws_itself(package, plain)
        kind = "object" if isinstance(thing, type) else "release" if stream else ""
        return Code(called(f"{package.lower()}.{plain}", [*given, *stream]), kind)

    def _method(self, node: Call, owner: Call) -> Code:
        of, name = owner.arguments[0].value, word(owner.arguments[1].value)
        if name == "new":
            package, plain = "", word(of)
            if function_name(of) in ("::", ":::") and isinstance(of, Call):
                package, plain = (word(each.value) for each in of.arguments)
            found = [
                home
                for home in matching.PACKAGES
                if (home == package or home in self.attached) and matching.exports(home, python_name(plain))
            ]
            if not found or self.scope.find(plain):
                raise Untranslated(f"{plain} is no class of DPpack")
            return self._of_mirror(node, found[0], plain)
        target = self.value(of)
        if target.kind in ("dict", "list", ""):
            text = self.part(target, name, word(owner.function)).at(ATOM)
        else:
            text = f"{target.at(ATOM)}.{python_name(name)}"
        matching.check_order(
            [("", each.value) for each in node.arguments if each.value], None, self.functions, name
        )
        arguments = [
            f"{python_name(each.name)}={self._argument(each.value)}"
            if each.name
            else self._argument(each.value)
            for each in node.arguments
        ]
        stream = ["rng=rng"] * (name == "fit")
        return Code(called(text, [*arguments, *stream]), missing=1)

    def _of_script(self, node: Call, name: str, variable: Variable) -> Code:
        if variable.made is None:
            return Code(called(variable.python, self._plainly(node.arguments)), missing=1)
        known = [each.name or "" for each in variable.made.formals]
        names = [python_name(each) if each != matching.DOTS else each for each in known]
        given = self._matched(node.arguments, names, name, variable.made)
        return Code(called(variable.python, given), missing=1)

    def _plainly(self, given: Sequence[Argument]) -> list[str]:
        """Return arguments of a function that is not known."""
        pairs = [("", each.value) for each in given if each.value is not None]
        matching.check_order(pairs, None, self.functions, "a function that is not known here")
        return [
            f"{python_name(each.name)}={self.value(each.value).array}"
            if each.name
            else self.value(each.value).array
            for each in given
        ]

    def _matched(
        self,
        given: Sequence[Argument],
        known: list[str],
        what: str,
        function: Function | None,
        listed: bool = True,
    ) -> list[str]:
        """Return the arguments of a call in Python, named where their place does not tell.

        Unless `listed`, they are arrays, because functions of the script get them.
        """
        pairs = matching.matched(known, given, what)
        matching.check_order(pairs, function, self.functions, what)
        texts, places = [], list(known)
        named = False
        for name, value in pairs:
            text = self.value(value).array if function or not listed else self._argument(value, name)
            if name == matching.DOTS:
                texts.append(text)
            elif not named and places and places[0] == name:
                texts.append(text)
                places.pop(0)
            else:
                named = True
                texts.append(f"{name}={text}")
        return texts

    def _argument(self, value: Node | None, name: str = "") -> str:
        """Return an argument of a function that takes any sequence."""
        if name in _TAKES_NAMES and isinstance(value, Constant) and value.kind == "character":
            return self.reference(str(value.value))
        return self.value(value).sequence

    def _drawn(self, node: Call, name: str) -> Code:
        if name == "rlnorm":
            inner = self._drawn(node, "rnorm")
            return Code(called("r.exp", [inner.text]), inner.kind)
        if name == "rchisq":
            values = [value for _, value in matching.matched(["n", "df"], node.arguments, name)]
            n, df = (self.value(each) for each in values)
            return Code(called("rng.rgamma", [n.text, f"{df.at(ATOM)} / 2", "scale=2"]), "doubles")
        method = "sample" if name == "sample.int" else name
        known = matching.formals(getattr(matching.RRandom, method))
        given = self._matched(
            node.arguments,
            ["n", *known[1:]] if name == "sample.int" else known,
            name,
            None,
            method != "sample",
        )
        first = node.arguments[0].value if node.arguments else None
        code = Code(called(f"rng.{method}", given), "doubles")
        if method == "sample":
            of = self.value(first)
            kind = "positions" if of.kind in NUMBERS or name == "sample.int" else of.kind
            return replace(code, kind=kind if kind in {*VECTORS, "positions"} else "", missing=of.missing)
        if method in ("rbinom", "rpois", "rgeom"):
            code = replace(code, kind="ints")
        if isinstance(first, Constant) and first.value == 1 and node.arguments[0].name in (None, "n"):
            return replace(code, text=f"{code.text}[0]", kind="number")
        return code

    def _of_r(self, node: Call, name: str) -> Code:
        plain = python_name(name)
        function = getattr(r, plain, None)
        if plain.startswith("_") or not callable(function) or isinstance(function, type):
            raise Untranslated(f"{name} has no counterpart")
        pairs = matching.matched(matching.formals(function), node.arguments, name)
        matching.check_order(pairs, None, self.functions, name)
        dropped = plain == "which" or (plain == "sum" and any(key == "na_rm" for key, _ in pairs))
        with self.condition(dropped=dropped):
            codes = [(key, self._argument_of_r(key, value)) for key, value in pairs]
        first = codes[0][1] if codes else Code("")
        if name in _NATIVE and len(codes) == 1 and first.kind != "named":
            kind = (
                first.kind
                if first.kind in ("column", "matrix", "number")
                else "doubles"
                if first.kind in VECTORS
                else ""
            )
            return Code(called(_NATIVE[name], [first.text]), kind, frame=first.frame, missing=first.missing)
        texts, places, named = [], matching.formals(function), False
        for key, code in codes:
            text = code.array if code.kind == "column" and plain not in _SUMMARIES else code.sequence
            if key == matching.DOTS or (not named and places and places[0] == key):
                places = places[1:] if key != matching.DOTS else places
                texts.append(text)
            else:
                named = True
                texts.append(f"{key}={text}")
        removed = any(key == "na_rm" and code.text == "True" for key, code in codes)
        missing = 0 if removed else max((code.missing for _, code in codes), default=0)
        return Code(called(f"r.{plain}", texts), self._result(plain, first), missing=missing)

    def _argument_of_r(self, name: str, value: Node) -> Code:
        if name in _TAKES_NAMES and isinstance(value, Constant) and value.kind == "character":
            if value.value in ("[", "[["):
                return Code("r.element" if value.value == "[[" else "r.index", "function")
            return Code(self.reference(str(value.value)), "function")
        return self.value(value)

    def _result(self, name: str, first: Code) -> str:
        kind = _RESULT.get(name, "")
        if kind == "same":
            kind = "doubles" if first.kind == "column" and name in ("exp", "log", "round") else first.kind
            return "" if kind in ("column", "positions", "factor", "dict") else kind
        if kind == "number" and first.kind in ("frame", "matrix") and name in ("var", "cor"):
            return "matrix"
        if kind == "named" and name in ("table", "prop_table", "proportions", "quantile"):
            return ""
        return kind


def specials(of: Calls) -> dict[str, Callable[[Call], Code]]:
    """Return R's functions that become something else than a call of a function by the same name."""
    one = _first(of)
    return {
        "c": lambda node: _combined(of, node),
        "list": lambda node: _list(of, node),
        "data.frame": lambda node: _frame(of, node),
        "length": one(_length),
        "nrow": one(lambda x: Code(f"len({x.text})", "number") if x.kind == "frame" else None),
        "NROW": one(lambda x: Code(f"len({x.text})", "number") if x.kind in VECTORS else None),
        "is.null": one(lambda x: Code(f"{x.at(7)} is None", "flag", 5)),
        "is.na": one(_is_na),
        "seq_len": one(
            lambda n: Code(f"np.arange(1, {_after(n)})", "positions", plain=f"range(1, {_after(n)})")
        ),
        "seq_along": one(lambda x: _along(of, x)),
        "numeric": lambda node: _empty(of, node, "", "doubles"),
        "double": lambda node: _empty(of, node, "", "doubles"),
        "integer": lambda node: _empty(of, node, ", dtype=int", "ints"),
        "logical": lambda node: _empty(of, node, ", dtype=bool", "flags"),
        "vector": lambda node: _vector(of, node),
        "rep": lambda node: _repeated(of, node),
        "switch": lambda node: _switch(of, node),
        "replicate": lambda node: _replicate(of, node),
        "~": lambda node: Code(quoted(_formula(of, node)), "text"),
        "lm": lambda node: _model(of, node),
        "glm": lambda node: _model(of, node),
        "new": lambda node: _new(of, node),
        "predict": lambda node: _predict(of, node),
        "if": lambda node: _ternary(of, node),
        "ifelse": lambda node: _chosen(of, node),
        "xor": lambda node: Code(called("np.logical_xor", of._plainly(node.arguments)), "truth"),
        "unname": one(lambda x: Code(f"{x.at(ATOM)}.values", "doubles") if x.kind == "named" else None),
        "{": lambda node: _block(of, node),
        **{name: _statement_only(name) for name in ("for", "while", "repeat", "break", "next", "return")},
    }


def _first(of: Calls) -> Callable[[Callable[[Code], Code | None]], Callable[[Call], Code]]:
    def of_first(made: Callable[[Code], Code | None]) -> Callable[[Call], Code]:
        def special(node: Call) -> Code:
            if len(node.arguments) == 1 and (found := made(of.value(node.arguments[0].value))) is not None:
                return found
            return of._of_r(node, function_name(node))

        return special

    return of_first


def _statement_only(name: str) -> Callable[[Call], Code]:
    def refuse(node: Call) -> Code:
        raise Untranslated(f"{name} inside an expression")

    return refuse


def _after(n: Code) -> str:
    return str(int(n.text) + 1) if n.text.isdigit() else f"{n.at(8)} + 1"


def _length(x: Code) -> Code | None:
    if x.kind == "frame":
        return Code(f"len({x.at(ATOM)}.columns)", "number")
    return (
        Code(f"len({x.text})", "number") if x.kind in {*VECTORS, "column", "list", "dict", "named"} else None
    )


def _along(of: Calls, x: Code) -> Code:
    n = (_length(x) or Code(called("r.length", [x.text]))).text
    return Code(f"np.arange(1, {n} + 1)", "positions", plain=f"range(1, {n} + 1)")


def _is_na(x: Code) -> Code:
    if x.kind == "column":
        return Code(f"{x.at(ATOM)}.isna()", "column", frame=x.frame)
    kind = "flag" if x.kind in SCALARS else "flags" if x.kind in VECTORS else "truth"
    return Code(called("r.is_na", [x.text]), kind)


def _combined(of: Calls, node: Call) -> Code:
    given = [each for each in node.arguments if each.value is not None]
    if not given:
        return Code("None", "null")
    matching.check_order([("", each.value) for each in given if each.value], None, {}, "c") if False else None
    parts = [of.value(each.value) for each in given]
    missing = max(each.missing for each in parts)
    if any(each.name for each in given):
        scalar = all(each.kind in SCALARS for each in parts) and all(each.name for each in given)
        if scalar:
            texts = [f"{quoted(each.name)}: {_double(part, True)}" for each, part in zip(given, parts)]
            return Code(f"pd.Series({{{', '.join(texts)}}})", "named", missing=missing)
        if not all(str(each.name or "x").isidentifier() for each in given):
            raise Untranslated("c has names that are no names in Python")
        texts = [f"{each.name}={part.array}" if each.name else part.array for each, part in zip(given, parts)]
        return Code(called("r.c", texts), missing=missing)
    kind = of_one_kind(parts)
    if not kind:
        kinds = {ELEMENT.get(each.kind, each.kind) for each in parts}
        numbers = kinds <= NUMBERS and "null" not in kinds
        kind = "doubles" if numbers and not {each.kind for each in parts} <= {"ints", "positions"} else ""
        return Code(
            called("r.c", [each.array if each.kind == "column" else each.sequence for each in parts]),
            kind,
            missing=missing,
        )
    plain = f"[{', '.join(each.text for each in parts)}]"
    nodes_ = [each.value for each in given]
    if kind == "doubles" and all(isinstance(each, Constant) and each.kind == "integer" for each in nodes_):
        kind = "ints"
    if kind == "doubles":
        texts = [_double(each) for each in parts]
        floats = any(
            "." in text or "np.nan" in text or "e" in text for text in texts if re.match(r"-?[\d.]|np", text)
        )
        return Code(
            f"np.array([{', '.join(texts)}]{'' if floats else ', dtype=float'})",
            kind,
            plain=plain,
            missing=missing,
        )
    dtype = ", dtype=object" if kind == "texts" and missing == 2 else ""
    return Code(f"np.array({plain}{dtype})", kind, plain=plain, missing=missing)


def _double(code: Code, any_kind: bool = False) -> str:
    text = code.text
    return f"{text}.0" if re.fullmatch(r"-?[\d_]+", text) and (any_kind or code.kind == "number") else text


def _list(of: Calls, node: Call) -> Code:
    parts = [(each.name, of.owned(each.value)) for each in node.arguments if each.value is not None]
    if parts and all(name for name, _ in parts):
        return Code(
            f"{{{', '.join(f'{quoted(name)}: {code.array}' for name, code in parts)}}}", "dict", missing=1
        )
    if any(name for name, _ in parts):
        raise Untranslated("only some elements of the list have names")
    return Code(f"[{', '.join(code.array for _, code in parts)}]", "list", missing=1)


def _frame(of: Calls, node: Call) -> Code:
    options = {"stringsAsFactors", "check.names", "row.names"}
    given = [each for each in node.arguments if each.value is not None and each.name not in options]
    others = [each for each in node.arguments if each.name in options]
    parts = [of.value(each.value) for each in given]
    names = [each.name or of.script.written(each.value) for each in given if each.value is not None]
    plain = all(each.name or isinstance(each.value, Name) for each in given)
    vectors = {*VECTORS, "column", "factor", ""}
    simple = plain and not [
        one for one in others if not (isinstance(one.value, Constant) and one.value.value is False)
    ]
    if (
        parts
        and simple
        and all(part.kind in {*vectors, *SCALARS} for part in parts)
        and any(part.kind in vectors for part in parts)
        and (of.lenient or all(part.kind for part in parts))
    ):
        texts = [
            f"{quoted(name)}: {_double(part) if part.kind in SCALARS else (part.array if part.kind == 'column' else part.sequence)}"
            for name, part in zip(names, parts)
        ]
        return Code(
            f"pd.DataFrame({{{', '.join(texts)}}})", "frame", missing=max(part.missing for part in parts)
        )
    if not all(re.fullmatch(r"[A-Za-z.][\w.]*", name) for name in names):
        raise Untranslated("a column of data.frame has no name")
    texts = [f"{quoted(name)}: {part.array}" for name, part in zip(names, parts)]
    more = [f"{python_name(str(each.name))}={of.value(each.value).text}" for each in others]
    return Code(
        called("r.data_frame", [f"{{{', '.join(texts)}}}", *more]),
        "frame",
        missing=max((part.missing for part in parts), default=0),
    )


def _empty(of: Calls, node: Call, dtype: str, kind: str) -> Code:
    n = of.value(node.arguments[0].value).text if node.arguments else "0"
    return Code(f"np.zeros({n}{dtype})", kind)


def _vector(of: Calls, node: Call) -> Code:
    pairs = dict(matching.matched(["mode", "length"], node.arguments, "vector"))
    mode = word(pairs.get("mode"))
    n = of.value(pairs["length"]).text if "length" in pairs else "0"
    kinds = {
        "numeric": ("", "doubles"),
        "double": ("", "doubles"),
        "integer": (", dtype=int", "ints"),
        "logical": (", dtype=bool", "flags"),
    }
    if mode in kinds:
        return Code(f"np.zeros({n}{kinds[mode][0]})", kinds[mode][1])
    if mode == "list":
        return Code(f"[None] * {n}" if n != "0" else "[]", "list", 9, missing=1)
    if mode == "character":
        return Code(called("r.character", [n]), "texts")
    raise Untranslated(f"vector of mode {mode or 'that is computed'}")


def _repeated(of: Calls, node: Call) -> Code:
    given = node.arguments
    if len(given) == 2 and given[1].name in (None, "times") and given[0].name in (None, "x"):
        value, n = of.value(given[0].value), of.value(given[1].value)
        if value.kind == "number" and n.kind == "number" and isinstance(given[0].value, Constant):
            fill = "" if value.text == "0" else f", {_double(value)}"
            return Code(f"np.{'full' if fill else 'zeros'}({n.text}{fill})", "doubles", missing=value.missing)
    code = of._of_r(node, "rep")
    first = of.value(given[0].value) if given else code
    return replace(code, kind=VECTOR.get(first.kind, first.kind if first.kind in VECTORS else ""))


def _switch(of: Calls, node: Call) -> Code:
    return _ternary(of, switched(of, node))


def switched(of: Calls, node: Call) -> Call:
    """Return ``switch`` of a text as branches."""
    first, *ways = node.arguments
    if first.value is None or not isinstance(first.value, Name):
        raise Untranslated("switch of what is no variable")
    variable = of.scope.find(first.value.name)
    if variable is None or variable.kind != "text":
        raise Untranslated(f"switch: {first.value.name} may be a number or a text")
    default = [each.value for each in ways if not each.name]
    if len(default) > 1:
        raise Untranslated("switch has two values without a name")
    last = default[0] if default else None
    tests: list[tuple[Node, Node]] = []
    waiting: Node | None = None
    for each in ways:
        if not each.name:
            continue
        test: Node = call("==", first.value, Constant(each.name, "character"), like=node)
        waiting = test if waiting is None else call("||", waiting, test, like=node)
        if each.value is not None:
            tests.append((waiting, each.value))
            waiting = None
    if waiting is not None or not tests:
        raise Untranslated("switch ends with a name without a value")
    found = last or Constant(None, "NULL", node.start, node.end)
    for test, value in reversed(tests):
        found = call("if", test, value, found, like=node)
    return found  # type: ignore[return-value]


def _ternary(of: Calls, node: Call) -> Code:
    test, first, *rest = (each.value for each in node.arguments)
    with of.condition(tested=True):
        condition = of.value(test)
    a = of.value(first)
    b = of.value(rest[0]) if rest else Code("None", "null")
    text = f"{a.at(TERNARY + 1)} if {condition.at(TERNARY + 1)} else {b.at(TERNARY)}"
    return Code(text, a.kind if a.kind == b.kind else "", TERNARY, missing=max(a.missing, b.missing))


def _chosen(of: Calls, node: Call) -> Code:
    if any(matching.draws(each.value, of.functions) for each in node.arguments[1:]):
        raise Untranslated("ifelse draws its values only where it needs them")
    pairs = matching.matched(["test", "yes", "no"], node.arguments, "ifelse")
    test, yes, no = (of.value(value) for _, value in sorted(pairs, key=lambda each: "tyn".index(each[0][0])))
    kind = ""
    if test.kind in ("flags", "column"):
        both = {ELEMENT.get(each.kind, each.kind) for each in (yes, no)}
        kind = (
            "doubles"
            if both <= {*NUMBERS, "column"}
            else VECTOR.get(both.pop(), "")
            if len(both) == 1
            else ""
        )
    texts = [each.array if each.kind == "column" else each.sequence for each in (test, yes, no)]
    return Code(called("r.ifelse", texts), kind, missing=max(yes.missing, no.missing))


def _replicate(of: Calls, node: Call) -> Code:
    pairs = dict(matching.matched(["n", "expr", "simplify"], node.arguments, "replicate"))
    made = Function((), pairs["expr"], pairs["expr"].start, pairs["expr"].end)
    more = [f"simplify={of.value(pairs['simplify']).text}"] if "simplify" in pairs else []
    return Code(
        called("r.replicate", [of.value(pairs["n"]).text, of.function(made).text, *more]), "", missing=1
    )


def _block(of: Calls, node: Call) -> Code:
    if len(node.arguments) != 1:
        raise Untranslated("several statements inside an expression")
    return of.value(node.arguments[0].value)


def _formula(of: Calls, node: Node) -> str:
    return re.sub(r"\s+", " ", of.script.written(node))


def _model(of: Calls, node: Call) -> Code:
    name = function_name(node)
    pairs = matching.matched(
        ["formula", "data", "weights", "family"]
        if name == "lm"
        else ["formula", "family", "data", "weights"],
        node.arguments,
        name,
    )
    given = dict(pairs)
    formula = given.get("formula")
    if function_name(formula) != "~":
        raise Untranslated(f"the formula of {name} is computed")
    texts = [quoted(_formula(of, formula))]  # type: ignore[arg-type]
    if "data" in given:
        texts.append(of.value(given["data"]).text)
    else:
        functions = {id(each.function) for each in nodes(formula) if isinstance(each, Call)}
        used = [each.name for each in nodes(formula) if isinstance(each, Name) and id(each) not in functions]
        columns = [f"{quoted(each)}: {of.named(Name(each)).array}" for each in dict.fromkeys(used)]
        texts.append(f"pd.DataFrame({{{', '.join(columns)}}})")
    if "family" in given:
        family = given["family"]
        called_ = function_name(family) or word(family)
        if isinstance(family, Call) and family.arguments:
            raise Untranslated("the family has a link of its own")
        texts.append(f"family={quoted(called_)}")
    if "weights" in given:
        texts.append(f"weights={of.value(given['weights']).text}")
    return Code(called(f"r.{name}", texts), "object")


def _new(of: Calls, node: Call) -> Code:
    first, *rest = node.arguments
    name = word(first.value)
    if name not in dir(matching.PACKAGES["diffpriv"]) or first.name not in (None, "Class"):
        raise Untranslated(f"new makes a {name or 'class that is computed'}, which is none of diffpriv's")
    return of._of_mirror(replace(node, arguments=tuple(rest)), "diffpriv", name)


def _predict(of: Calls, node: Call) -> Code:
    first = node.arguments[0].value
    variable = of.scope.find(word(first)) if isinstance(first, Name) else None
    package = variable.package if variable else ""
    if package == "bernstein" or of.lenient:
        return of._of_mirror(node, "diffpriv", "predict")
    if package in ("lm", "glm"):
        return of._of_r(node, "predict")
    raise Untranslated("predict of an object that is not known here")
