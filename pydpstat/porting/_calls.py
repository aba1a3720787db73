"""Calls of R's functions, of the packages', and of the script's own, as Python expressions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace

from pydpstat.porting import _call_arguments as arguments
from pydpstat.porting import _matching as matching
from pydpstat.porting import _packages as packages
from pydpstat.porting._code import (
    ATOM,
    NUMBERS,
    VECTORS,
    Code,
    Untranslated,
    attribute,
    called,
    python_name,
    refuse_groups,
)
from pydpstat.porting._names import NATIVE, Names, find_counterpart
from pydpstat.porting._own import microaggregated, own_call
from pydpstat.porting._result_kinds import (
    COMPLETE,
    OF_NUMBERS,
    RESULT,
    SHOWING,
    SUMMARIES,
    WHOLE,
    as_in_r,
    kind_of_result,
    refuse_unlike_r,
)
from pydpstat.porting._scope import Variable, function_name, word
from pydpstat.porting._syntax import Argument, Call, Constant, Function, Name, Node

# what only shows a value, or hides a message
TRANSPARENT = {"suppressMessages", "suppressWarnings", "invisible", "identity", "force"}
_VECTORS_ONLY = {"x", "x1", "x2", "true_values", "utility"}
_OBJECTS = {"bernstein", "sensitivitySampler", "sensitivitySamplerManual"}
# functions in what is released: a function itself, and the best of several models
_OF_RELEASES = {"response", "predict"}
_TAKES_NAMES = {"FUN", "f", "what", "FUNCTION"}
# functions for which the groups of a data frame do not matter
_OF_ANY_FRAME = set("nrow ncol NROW NCOL dim names colnames as_data_frame is_data_frame".split())
# R's classes of kinds of values, by which it dispatches
_CLASSES = {"frame": "data.frame", "factor": "factor", "matrix": "matrix"}


class Calls(Names):
    """What calls are in Python."""

    # whether pydpstat's functions are wanted, and what they change, by line
    own: bool
    remarks: list[tuple[int, str]]
    special: dict[str, Callable[[Call], Code]]

    @abstractmethod
    def owned(self, node: Node | None) -> Code:
        """Return a value that something else may hold as well from now on."""

    @abstractmethod
    def kept(self, code: Code, name: str, kind: str = "text") -> Name:
        """Assign a value to a new variable before the statement, and return it."""

    @abstractmethod
    def hoisted(self, node: Function) -> str:
        """Define a function before the statement, and return its name."""

    @abstractmethod
    def is_verb(self, package: str, name: str) -> bool:
        """Return whether a function's arguments are about the columns of a data frame."""

    @abstractmethod
    def verb(self, node: Call, name: str) -> Code:
        """Return a call whose arguments are about the columns of a data frame, or of a pipe."""

    # calls

    def called(self, node: Call) -> Code:
        """Return a call of a function that is no operator."""
        function = node.function
        if isinstance(function, Call):
            operator = function_name(function) if isinstance(function.function, Name) else ""
            if operator in ("::", ":::"):
                package, name = (word(each.value) for each in function.arguments)
                if packages.formals_of(package, name) is None and package in packages.USUAL:
                    raise Untranslated(f"{package} has no function {name}")
                return self._of_package(node, package, name)
            if operator in ("$", "@"):
                return self._method(node, function)
        if isinstance(function, Name):
            return self._by_name(node, function.name)
        while function_name(function) == "(" and isinstance(function, Call):
            function = function.arguments[0].value  # type: ignore[assignment]
        target = self.value(function)
        if isinstance(function, Function):
            return self._of_function(node, target.at(ATOM), "the function", function)
        return Code(called(target.at(ATOM), self.plainly(node.arguments)), missing=1)

    def _by_name(self, node: Call, name: str) -> Code:
        variable = self.scope.find(name)
        base = self._is_base(name)
        if base and variable is None and name in self.functions and self.scope.outer is not None:
            raise Untranslated(f"{name} is R's function or the script's, whichever there is when this runs")
        if variable is not None and variable.kind == "" and base and variable.made is None:
            raise Untranslated(f"{name} may be a function or a value here")
        if variable is not None and (variable.kind in ("", "function", "object") or not base):
            return self._of_script(node, name, variable)
        if variable is None and name in self.functions and not base:
            if self.counts[name] > 1:
                raise Untranslated(f"{name} is defined several times, and which one is called here depends")
            return self._of_script(node, name, Variable(self.global_name(name), made=self.functions[name]))
        return self._of_package(node, packages.find_package(name, self.attached), name)

    def _is_base(self, name: str) -> bool:
        return self._has_counterpart(packages.find_package(name, self.attached), name)

    def _has_counterpart(self, package: str, name: str) -> bool:
        """Return whether a function that is none of the script's or the mirrors' is translated."""
        usual = package in packages.USUAL and (name in self.special or name in TRANSPARENT)
        draws = package in ("base", "stats", "rmutil") and matching.stream_function(name)
        return usual or draws or self.is_verb(package, name) or find_counterpart(package, name) is not None

    def _of_package(self, node: Call, package: str, name: str) -> Code:
        if package in matching.PACKAGES:
            return self.of_mirror(node, package, name)
        if packages.is_pipe(name):
            return self.verb(node, name)
        if (package, name) == ("sdcMicro", "microaggregation"):
            return microaggregated(node, self.value)
        if package and not packages.is_known(package):
            raise Untranslated(f"the package {package} has no counterpart")
        if not self._has_counterpart(package, name):
            raise Untranslated(packages.describe_missing(package, name))
        # the packages of R itself, dplyr, magrittr and rmutil
        node = replace(node, function=Name(name, node.start, node.end))
        if name in TRANSPARENT and node.arguments:
            with self.quietly(name):
                return self.value(node.arguments[0].value)
        if package in packages.USUAL and name in self.special:
            return self.special[name](node)
        if self.is_verb(package, name):
            return self.verb(node, name)
        if matching.stream_function(name):
            return self.drawn(node, name)
        return self.of_r(node, name, package)

    def of_mirror(self, node: Call, package: str, name: str) -> Code:
        plain = python_name(name)
        module = matching.PACKAGES[package]
        if name in matching.INTERNAL:
            return self.drawn(node, matching.INTERNAL[name])
        if name in matching.GENERICS:
            first, *rest = self.plainly(node.arguments)
            return Code(called(f"{first}.{name}", rest), "object" if name == "toGamma" else "")
        if not matching.exports(package, name):
            raise Untranslated(f"{package} exports no {name}")
        thing = getattr(module, plain)
        known = arguments.parameters_of(thing)
        pairs = arguments.to_parameters(package, name, "", node.arguments, known)
        if self.own and package == "DPpack":
            if text := own_call(plain, {key: self.value(value) for key, value in pairs}):
                line, _ = self.script.place(node.start)
                function = text.partition("(")[0]
                remark = f"{function} in the place of {name}: noise of the operating system, on a public grid"
                if (line, remark) not in self.remarks:
                    self.remarks.append((line, remark))
                return Code(text, "release")
        what = f"{package}::{name}"
        given = self._written(node.arguments, known.names, pairs, what, listed=package == "DPpack")
        stream = ["rng=rng"] * matching.draws_itself(package, plain)
        kind = "object" if isinstance(thing, type) or plain in _OBJECTS else "release" if stream else ""
        text = f"{package.lower()}.{plain}"
        if not self.lenient and (found := as_in_r(name, text, given, self.quiet)):
            return found
        kind = "table" if plain == "tableDP" else "function" if plain.startswith("generate_") else kind
        return Code(called(text, [*given, *stream]), kind)

    def _method(self, node: Call, owner: Call) -> Code:
        of, name = owner.arguments[0].value, word(owner.arguments[1].value)
        if name == "new":
            package, plain = "", word(of)
            if function_name(of) in ("::", ":::") and isinstance(of, Call):
                package, plain = (word(each.value) for each in of.arguments)
            found = [
                home
                for home in matching.PACKAGES
                if (home == package or home in self.attached) and matching.exports(home, plain)
            ]
            if not found or self.scope.find(plain):
                raise Untranslated(f"{plain} is no class of DPpack")
            return self.of_mirror(node, found[0], plain)
        target = self.value(of)
        if target.kind == "release" and name not in _OF_RELEASES:
            raise Untranslated(f"${name} is called, and a release has no such function")
        known = target.kind in ("object", "release")
        sign = word(owner.function)
        text = attribute(target.at(ATOM), name) if known else self.part(target, name, sign).at(ATOM)
        arguments = self.plainly(node.arguments, name, self._argument)
        stream = ["rng=rng"] * (name in matching.METHODS)
        if name == "predict" and arguments and not self.lenient:
            text = called("r.column_of", [text, *arguments])
            return Code(text, "predictions" if known else "", missing=1)
        kind = target.kind if name == "clone" else ""
        return Code(called(text, [*arguments, *stream]), kind, missing=1)

    def _of_script(self, node: Call, name: str, variable: Variable) -> Code:
        if variable.made is None:
            return Code(called(variable.python, self.plainly(node.arguments)), missing=1)
        return self._of_function(node, variable.python, name, variable.made)

    def _of_function(self, node: Call, python: str, what: str, made: Function) -> Code:
        """Return a call of a function whose parameters are known."""
        names = [str(each.name) for each in made.formals]
        known = [python_name(each) if each != matching.DOTS else each for each in names]
        if len(set(known)) < len(known):
            raise Untranslated(f"two parameters of {what} have one name in Python")
        self.check_promises(node.arguments, known, what, made)
        return Code(called(python, self._matched(node.arguments, known, what, made)), missing=1)

    def plainly(
        self,
        given: Sequence[Argument],
        what: str = "a function that is not known here",
        text: Callable[[Node | None], str] | None = None,
    ) -> list[str]:
        """Return arguments of a function whose parameters are not known, by default as arrays."""
        pairs = [("", each.value) for each in given if each.value is not None]
        for _, each in pairs:
            if isinstance(each, Name):
                self.owned(each)
        matching.check_order(pairs, None, self.functions, what)
        texts = [text(each.value) if text else self.value(each.value).array for each in given]
        return [
            f"{python_name(each.name)}={value}" if each.name else value for each, value in zip(given, texts)
        ]

    def _matched(
        self, given: Sequence[Argument], known: list[str], what: str, function: Function
    ) -> list[str]:
        """Return the arguments of a call of the script's function in Python, as arrays."""
        pairs = arguments.matched(known, given, what)
        needed = {python_name(str(each.name)) for each in function.formals if each.value is None}
        for name in sorted(needed - {name for name, _ in pairs} - {matching.DOTS}):
            raise Untranslated(f"{name} is not given to {what}, which has no default for it")
        matching.check_order(pairs, function, self.functions, what)
        for _, each in pairs:
            if isinstance(each, Name):
                self.owned(each)
        codes = [(name, self.bare(self.value(value))) for name, value in pairs]
        for _, code in codes:
            refuse_groups(code, "a function of the script")
        added, places = matching.added(function), matching.indexing(function)
        if any(name in added and code.is_truth for name, code in codes):
            raise Untranslated(f"{what} adds TRUE and FALSE up")
        if any(name in places and code.is_na for name, code in codes):
            raise Untranslated(f"{what} takes elements at NA")
        own = {python_name(str(each.name)): self.scope.free_name(str(each.name)) for each in function.formals}
        texts = [(own[name], code.array) for name, code in codes]
        return arguments.write_arguments([own[name] for name in known], given, texts, what)

    def _written(
        self,
        given: Sequence[Argument],
        known: Sequence[str],
        pairs: Sequence[tuple[str, Node]],
        what: str,
        listed: bool = True,
    ) -> list[str]:
        """Return the arguments of a call of the packages' functions in Python.

        Unless `listed`, they are arrays, because functions of the script get them.
        """
        matching.check_order(pairs, None, self.functions, what)
        if listed:
            texts = [(name, self._argument(value, name)) for name, value in pairs]
        else:
            texts = [(name, self.bare(self.value(value)).array) for name, value in pairs]
        return arguments.write_arguments(known, given, texts, what)

    def _argument(self, value: Node | None, name: str = "") -> str:
        """Return an argument of a function that takes any sequence."""
        if name in _VECTORS_ONLY and function_name(value) == "list":
            raise Untranslated(f"{name} is a list, where R wants a vector")
        if name in _TAKES_NAMES and isinstance(value, Constant) and value.kind == "character":
            return self.reference(str(value.value))
        return self.value(value).sequence

    def drawn(self, node: Call, name: str) -> Code:
        if name == "rlnorm":
            inner = self.drawn(node, "rnorm")
            return Code(called("r.exp", [inner.text]), inner.kind)
        if name == "rchisq":
            given_ = dict(arguments.matched(["n", "df"], node.arguments, name))
            n, df = (self.value(given_.get(each)) for each in ("n", "df"))
            return Code(called("rng.rgamma", [n.text, f"{df.at(ATOM)} / 2", "scale=2"]), "doubles")
        method = "sample" if name == "sample.int" else name
        known = arguments.parameters_of(getattr(matching.RRandom, method))
        home = "base" if method == "sample" else "rmutil" if name == "rlaplace" else "stats"
        pairs = arguments.to_parameters(home, name, "", node.arguments, known)
        given = self._written(node.arguments, known.names, pairs, name, listed=method != "sample")
        first = next((value for key, value in pairs if key == known.names[0]), None)
        of = self.value(first) if method == "sample" and first is not None else Code("")
        if method == "sample" and of.kind in ("doubles", "ints", "") and not of.plain and not self.lenient:
            given[0] = given[0].removesuffix(of.text) + called("r.population", [of.text])
        code = Code(called(f"rng.{method}", given), "doubles")
        if method == "sample":
            kind = "positions" if of.kind in NUMBERS or name == "sample.int" else of.kind
            return replace(code, kind=kind if kind in {*VECTORS, "positions"} else "", missing=of.missing)
        if method in ("rbinom", "rpois", "rgeom"):
            code = replace(code, kind="ints")
        if isinstance(first, Constant) and first.value == 1:
            return replace(code, text=f"{code.text}[0]", kind="number")
        return code

    def of_r(self, node: Call, name: str, package: str = "") -> Code:
        plain = python_name(name)
        package = package or packages.find_package(name, ())
        function = find_counterpart(package, name)
        if function is None:
            raise Untranslated(packages.describe_missing(package, name))
        known = arguments.parameters_of(function)
        pairs = arguments.to_parameters(package, name, self._class_of(node), node.arguments, known)
        matching.check_order(pairs, None, self.functions, name)
        if plain == "print" and not {each.name for each in node.arguments if each.name} <= set(known.names):
            raise Untranslated("print of data frames takes whole names of arguments only")
        dropped = plain == "which" or (plain == "sum" and any(key == "na_rm" for key, _ in pairs))
        with self.condition(dropped=dropped):
            codes = [(key, self._argument_of_r(key, value)) for key, value in pairs]
        if plain in SHOWING:
            # str tells R's doubles from its integers
            doubles = plain == "str"
            codes = [(key, self.shown(code, value, doubles)) for (key, code), (_, value) in zip(codes, pairs)]
        if plain in ("vapply", "diff"):
            codes = [(key, self.shown(code, None, key in ("FUN_VALUE", "x"))) for key, code in codes]
        if plain == "identical":
            literal = [isinstance(value, Constant) for _, value in pairs]
            codes = [(key, self.shown(each, None, one)) for (key, each), one in zip(codes, literal)]
        for _, code in codes if plain not in _OF_ANY_FRAME else ():
            refuse_groups(code, name)
        first = codes[0][1] if codes else Code("")
        if plain in ("str", "format") and first.kind == "table" or plain == "str" and first.kind == "named":
            raise Untranslated(f"{name} of what may be a table")
        if (plain == "cut" or plain.startswith("is_") and plain != "is_na") and first.is_na:
            raise Untranslated(f"{name} of NA, which is TRUE or FALSE in R")
        refuse_unlike_r(plain, pairs, [code for _, code in codes])
        if first.kind in ("list", "dict") and plain in OF_NUMBERS:
            raise Untranslated(f"{name} of a list")
        if name in NATIVE and len(codes) == 1 and first.kind != "named":
            kind = "doubles" if first.kind in VECTORS else ""
            kind = first.kind if first.kind in ("column", "matrix", "number") else kind
            return Code(called(NATIVE[name], [first.text]), kind, frame=first.frame, missing=first.missing)
        arrays, single = plain in WHOLE, plain not in SUMMARIES
        texts = [
            (key, code.array if arrays or code.kind == "column" and single else code.sequence)
            for key, code in codes
        ]
        formula = next((value for _, value in pairs if function_name(value) == "~"), None)
        if formula and "data" in known.names:
            texts = [(key, text) for key, text in texts if key != "data"]
            texts.append(("data", self.data_of(formula, dict(pairs).get("data"))))
        removed = any(key == "na_rm" and code.text == "True" for key, code in codes)
        missing = 0 if removed else max((code.missing for _, code in codes), default=0)
        kind = kind_of_result(plain, first, [code.kind for _, code in codes[1:]])
        if any(key.lower() == "simplify" and code.text == "False" for key, code in codes):
            kind = "list"
        given = arguments.write_arguments(known.names, node.arguments, texts, name)
        if plain == "print" and codes and (node.start, node.end) != self.printing:
            plain, kind = "printed", first.kind
        return Code(called(f"r.{plain}", given), kind, missing=0 if plain in COMPLETE else missing)

    def _class_of(self, node: Call) -> str:
        """Return R's class of a call's first argument, by which it dispatches, where that is known."""
        value = next(
            (each.value for each in node.arguments if each.name in (None, "x", "formula", "object")), None
        )
        if isinstance(value, Name):
            variable = self.scope.find(value.name)
            kind = variable.kind if variable else ""
            return (variable.package if variable else "") or _CLASSES.get(kind, "")
        name = function_name(value)
        return "formula" if name == "~" else _CLASSES.get(RESULT.get(python_name(name), ""), "")

    def _argument_of_r(self, name: str, value: Node) -> Code:
        if name in _TAKES_NAMES and isinstance(value, Constant) and value.kind == "character":
            if value.value in ("[", "[["):
                return Code("r.element" if value.value == "[[" else "r.index", "function")
            return Code(self.reference(str(value.value)), "function")
        if (
            name in _TAKES_NAMES
            and isinstance(value, Name)
            and self.frames
            and not self.scope.find(value.name)
        ):
            # R looks for a function, and not for a column
            return Code(self.reference(value.name), "function")
        return self.value(value)
