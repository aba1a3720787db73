"""Calls of R's functions, of packages' functions and of a script's own, as Python expressions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace

from pydpstat.porting import _call_arguments as arguments
from pydpstat.porting import _matching as matching
from pydpstat.porting import _packages as packages
from pydpstat.porting._code import (
    ATOM,
    NUMBER_KINDS,
    RELEASE_KINDS,
    VECTOR_KINDS,
    Code,
    TranslationError,
    make_python_name,
    refuse_groups,
    write_attribute,
    write_call,
)
from pydpstat.porting._labels import FUNCTION_PARAMETERS, write_doubles
from pydpstat.porting._names import NUMPY_FUNCTIONS, Names, find_counterpart
from pydpstat.porting._own import translate_microaggregation, translate_to_pydpstat
from pydpstat.porting._result_kinds import (
    DISTINGUISHES_LISTS,
    MIRROR_KINDS,
    NEVER_MISSING,
    SUMMARY_FUNCTIONS,
    TEXT_FUNCTIONS,
    VECTORS_ONLY,
    find_r_class,
    find_result_kind,
    refuse_unlike_r,
    translate_as_in_r,
)
from pydpstat.porting._scope import Variable, get_function_name, get_word
from pydpstat.porting._syntax import Argument, Call, Constant, Function, Name, Node

# functions that only display a value or suppress a message
TRANSPARENT = {"suppressMessages", "suppressWarnings", "invisible", "identity", "force"}
_VECTOR_PARAMETERS = {"x", "x1", "x2", "true_values", "utility"}
_OBJECT_FUNCTIONS = {"bernstein", "sensitivitySampler", "sensitivitySamplerManual"}
# functions that a release can have: a released function, and the prediction of a selected model
_RELEASE_METHODS = {"response", "predict"}
# functions whose results do not depend on the groups of a data frame
_GROUP_INDEPENDENT = set("nrow ncol NROW NCOL dim names colnames as_data_frame is_data_frame".split())


class Calls(Names):
    """Translation of R's calls to Python."""

    # whether pydpstat's functions replace those of DPpack, and what that changes, by line
    uses_own_functions: bool
    remarks: list[tuple[int, str]]
    special_translators: dict[str, Callable[[Call], Code]]

    @abstractmethod
    def translate_shared_value(self, node: Node | None) -> Code:
        """Return the Python expression of a value that may be shared from now on."""

    @abstractmethod
    def assign_temporary(self, code: Code, name: str, kind: str = "text") -> Name:
        """Assign a value to a new variable before the statement, and return the variable."""

    @abstractmethod
    def emit_hoisted_function(self, node: Function) -> str:
        """Define a function before the statement, and return its name."""

    @abstractmethod
    def is_verb(self, package: str, name: str) -> bool:
        """Return whether a function evaluates its arguments among the columns of a data frame."""

    @abstractmethod
    def translate_verb(self, node: Call, name: str) -> Code:
        """Return a call of a pipe, or of a function whose arguments refer to columns of a data frame."""

    # calls

    def translate_call(self, node: Call) -> Code:
        """Return the translation of a call of a function that is not an operator."""
        function = node.function
        if isinstance(function, Call):
            operator = get_function_name(function) if isinstance(function.function, Name) else ""
            if operator in ("::", ":::"):
                package, name = (get_word(each.value) for each in function.arguments)
                if packages.find_formals(package, name) is None and package in packages.BASE_PACKAGES:
                    raise TranslationError(f"{package} has no function {name}")
                return self._translate_package_call(node, package, name)
            if operator in ("$", "@"):
                return self._translate_method_call(node, function)
        if isinstance(function, Name):
            return self._translate_named_call(node, function.name)
        while get_function_name(function) == "(" and isinstance(function, Call):
            function = function.arguments[0].value  # type: ignore[assignment]
        target = self.translate_node(function)
        if isinstance(function, Function):
            return self._translate_function_call(node, target.wrap_at(ATOM), "the function", function)
        return Code(write_call(target.wrap_at(ATOM), self.write_unmatched_arguments(node.arguments)), missing=1)

    def _translate_named_call(self, node: Call, name: str) -> Code:
        variable = self.scope.find_variable(name)
        base = self._is_base(name)
        if base and variable is None and name in self.functions and self.scope.outer is not None:
            raise TranslationError(f"{name} is R's function or the script's, whichever there is when this runs")
        if variable is not None and variable.kind == "" and base and variable.made is None:
            raise TranslationError(f"{name} may be a function or a value here")
        if variable is not None and (variable.kind in ("", "function", "object") or not base):
            return self._translate_script_call(node, name, variable)
        if variable is None and name in self.functions and not base:
            if self.assignment_counts[name] > 1:
                raise TranslationError(f"{name} is defined several times, and which one is called here depends")
            return self._translate_script_call(
                node, name, Variable(self.get_global_name(name), made=self.functions[name])
            )
        return self._translate_package_call(node, packages.find_package(name, self.attached), name)

    def _is_base(self, name: str) -> bool:
        return self._has_counterpart(packages.find_package(name, self.attached), name)

    def _has_counterpart(self, package: str, name: str) -> bool:
        """Return whether a function outside the script and the mirrors has a translation."""
        usual = package in packages.BASE_PACKAGES and (name in self.special_translators or name in TRANSPARENT)
        draws = package in ("base", "stats", "rmutil") and matching.is_stream_function(name)
        return usual or draws or self.is_verb(package, name) or find_counterpart(package, name) is not None

    def _translate_package_call(self, node: Call, package: str, name: str) -> Code:
        if package in matching.PACKAGES:
            return self.translate_mirror_call(node, package, name)
        if packages.is_pipe(name):
            return self.translate_verb(node, name)
        if (package, name) == ("sdcMicro", "microaggregation"):
            return translate_microaggregation(node, self.translate_node)
        if package and not packages.is_known_package(package):
            raise TranslationError(f"the package {package} has no counterpart")
        if not self._has_counterpart(package, name):
            raise TranslationError(packages.describe_missing(package, name))
        # packages of R itself, dplyr, magrittr and rmutil
        node = replace(node, function=Name(name, node.start, node.end))
        if name in TRANSPARENT and node.arguments:
            with self.set_hidden_messages(name):
                return self.translate_node(node.arguments[0].value)
        if package in packages.BASE_PACKAGES and name in self.special_translators:
            return self.special_translators[name](node)
        if self.is_verb(package, name):
            return self.translate_verb(node, name)
        if matching.is_stream_function(name):
            return self.translate_draw(node, name)
        return self.translate_r_call(node, name, package)

    def translate_mirror_call(self, node: Call, package: str, name: str) -> Code:
        plain = make_python_name(name)
        module = matching.PACKAGES[package]
        if name in matching.INTERNAL_FUNCTIONS:
            return self.translate_draw(node, matching.INTERNAL_FUNCTIONS[name])
        if name in matching.GENERIC_FUNCTIONS:
            first, *rest = self.write_unmatched_arguments(node.arguments)
            return Code(write_call(f"{first}.{name}", rest), "object" if name == "toGamma" else "")
        if not matching.has_export(package, name):
            raise TranslationError(f"{package} exports no {name}")
        thing = getattr(module, plain)
        known = arguments.get_parameters(thing)
        pairs = arguments.to_parameters(package, name, "", node.arguments, known)
        if self.uses_own_functions and package == "DPpack":
            if text := translate_to_pydpstat(plain, {key: self.translate_node(value) for key, value in pairs}):
                line, _ = self.script.place(node.start)
                function = text.partition("(")[0]
                remark = f"{function} in the place of {name}: noise of the operating system, on a public grid"
                if (line, remark) not in self.remarks:
                    self.remarks.append((line, remark))
                return Code(text, "release")
        what = f"{package}::{name}"
        given = self._write_package_arguments(
            node.arguments, known.names, pairs, what, takes_sequences=package == "DPpack"
        )
        stream = ["rng=rng"] * matching.has_stream_parameter(package, plain)
        kind = "object" if isinstance(thing, type) or plain in _OBJECT_FUNCTIONS else "release" if stream else ""
        text = f"{package.lower()}.{plain}"
        if not self.is_lenient and (found := translate_as_in_r(name, text, given, self.has_hidden_messages)):
            return found
        kind = "function" if plain.startswith("generate_") else MIRROR_KINDS.get(plain, kind)
        return Code(write_call(text, [*given, *stream]), kind)

    def _translate_method_call(self, node: Call, owner: Call) -> Code:
        of, name = owner.arguments[0].value, get_word(owner.arguments[1].value)
        if name == "new":
            package, plain = "", get_word(of)
            if get_function_name(of) in ("::", ":::") and isinstance(of, Call):
                package, plain = (get_word(each.value) for each in of.arguments)
            found = [
                home
                for home in matching.PACKAGES
                if (home == package or home in self.attached) and matching.has_export(home, plain)
            ]
            if not found or self.scope.find_variable(plain):
                raise TranslationError(f"{plain} is no class of DPpack")
            return self.translate_mirror_call(node, found[0], plain)
        target = self.translate_node(of)
        if target.kind in RELEASE_KINDS and name not in _RELEASE_METHODS:
            raise TranslationError(f"${name} is called, and a release has no such function")
        known = target.kind in {"object", *RELEASE_KINDS}
        sign = get_word(owner.function)
        text = (
            write_attribute(target.wrap_at(ATOM), name)
            if known
            else self.translate_component(target, name, sign).wrap_at(ATOM)
        )
        arguments = self.write_unmatched_arguments(node.arguments, name, self._write_argument)
        stream = ["rng=rng"] * (name in matching.DRAWING_METHODS)
        if name == "predict" and arguments and not self.is_lenient:
            text = write_call("r.column_of", [text, *arguments])
            return Code(text, "predictions" if known else "", missing=1)
        kind = target.kind if name == "clone" else ""
        return Code(write_call(text, [*arguments, *stream]), kind, missing=1)

    def _translate_script_call(self, node: Call, name: str, variable: Variable) -> Code:
        if variable.made is None:
            return Code(write_call(variable.python, self.write_unmatched_arguments(node.arguments)), missing=1)
        return self._translate_function_call(node, variable.python, name, variable.made)

    def _translate_function_call(self, node: Call, python: str, what: str, function: Function) -> Code:
        """Return a call of a function with known parameters."""
        names = [str(each.name) for each in function.formals]
        known = [make_python_name(each) if each != matching.DOTS else each for each in names]
        if len(set(known)) < len(known):
            raise TranslationError(f"two parameters of {what} have one name in Python")
        self.check_lazy_arguments(node.arguments, known, what, function)
        return Code(write_call(python, self._write_script_arguments(node.arguments, known, what, function)), missing=1)

    def write_unmatched_arguments(
        self,
        given: Sequence[Argument],
        what: str = "a function that is not known here",
        text: Callable[[Node | None], str] | None = None,
    ) -> list[str]:
        """Return the arguments of a function with unknown parameters, by default as arrays."""
        pairs = [("", each.value) for each in given if each.value is not None]
        for _, each in pairs:
            if isinstance(each, Name):
                self.translate_shared_value(each)
        matching.check_argument_order(pairs, None, self.functions, what)
        texts = [text(each.value) if text else self.translate_node(each.value).typed_text for each in given]
        return [f"{make_python_name(each.name)}={value}" if each.name else value for each, value in zip(given, texts)]

    def _write_script_arguments(
        self, given: Sequence[Argument], known: list[str], what: str, function: Function
    ) -> list[str]:
        """Return the arguments of a call of a script's function in Python, as arrays."""
        pairs = arguments.match_parameters(known, given, what)
        needed = {make_python_name(str(each.name)) for each in function.formals if each.value is None}
        for name in sorted(needed - {name for name, _ in pairs} - {matching.DOTS}):
            raise TranslationError(f"{name} is not given to {what}, which has no default for it")
        matching.check_argument_order(pairs, function, self.functions, what)
        for _, each in pairs:
            if isinstance(each, Name):
                self.translate_shared_value(each)
        codes = [(name, self.unwrap_release(self.translate_node(value))) for name, value in pairs]
        for _, code in codes:
            refuse_groups(code, "a function of the script")
        added, places = matching.find_added_parameters(function), matching.find_index_parameters(function)
        if any(name in added and code.is_truth for name, code in codes):
            raise TranslationError(f"{what} adds TRUE and FALSE up")
        if any(name in places and code.is_na for name, code in codes):
            raise TranslationError(f"{what} takes elements at NA")
        own = {
            make_python_name(str(each.name)): self.scope.assign_free_name(str(each.name)) for each in function.formals
        }
        texts = [(own[name], code.typed_text) for name, code in codes]
        return arguments.write_arguments([own[name] for name in known], given, texts, what)

    def _write_package_arguments(
        self,
        given: Sequence[Argument],
        known: Sequence[str],
        pairs: Sequence[tuple[str, Node]],
        what: str,
        takes_sequences: bool = True,
    ) -> list[str]:
        """Return the arguments of a call of a package's function in Python.

        Unless `takes_sequences`, they are arrays, because they go to functions of the script.
        """
        matching.check_argument_order(pairs, None, self.functions, what)
        if takes_sequences:
            texts = [(name, self._write_argument(value, name)) for name, value in pairs]
        else:
            texts = [(name, self.unwrap_release(self.translate_node(value)).array) for name, value in pairs]
        return arguments.write_arguments(known, given, texts, what)

    def _write_argument(self, value: Node | None, name: str = "") -> str:
        """Return an argument of a function that takes any sequence."""
        if name in _VECTOR_PARAMETERS and get_function_name(value) == "list":
            raise TranslationError(f"{name} is a list, where R wants a vector")
        if name in FUNCTION_PARAMETERS and isinstance(value, Constant) and value.kind == "character":
            return self.translate_reference(str(value.value))
        return self.translate_node(value).sequence

    def translate_draw(self, node: Call, name: str) -> Code:
        if name == "rlnorm":
            inner = self.translate_draw(node, "rnorm")
            return Code(write_call("r.exp", [inner.text]), inner.kind)
        if name == "rchisq":
            given_ = dict(arguments.match_parameters(["n", "df"], node.arguments, name))
            n, df = (self.translate_node(given_.get(each)) for each in ("n", "df"))
            return Code(write_call("rng.rgamma", [n.text, f"{df.wrap_at(ATOM)} / 2", "scale=2"]), "doubles")
        method = "sample" if name == "sample.int" else name
        known = arguments.get_parameters(getattr(matching.RRandom, method))
        home = "base" if method == "sample" else "rmutil" if name == "rlaplace" else "stats"
        pairs = arguments.to_parameters(home, name, "", node.arguments, known)
        given = self._write_package_arguments(
            node.arguments, known.names, pairs, name, takes_sequences=method != "sample"
        )
        first = next((value for key, value in pairs if key == known.names[0]), None)
        of = self.translate_node(first) if method == "sample" and first is not None else Code("")
        if method == "sample" and of.kind in ("doubles", "ints", "") and not of.plain and not self.is_lenient:
            given[0] = given[0].removesuffix(of.text) + write_call("r.population", [of.text])
        code = Code(write_call(f"rng.{method}", given), "doubles")
        if method == "sample":
            kind = "positions" if of.kind in NUMBER_KINDS or name == "sample.int" else of.kind
            return replace(code, kind=kind if kind in {*VECTOR_KINDS, "positions"} else "", missing=of.missing)
        if method in ("rbinom", "rpois", "rgeom"):
            code = replace(code, kind="ints")
        if isinstance(first, Constant) and first.value == 1:
            return replace(code, text=f"{code.text}[0]", kind="number")
        return code

    def translate_r_call(self, node: Call, name: str, package: str = "") -> Code:
        plain = make_python_name(name)
        package = package or packages.find_package(name, ())
        function = find_counterpart(package, name)
        if function is None:
            raise TranslationError(packages.describe_missing(package, name))
        known = arguments.get_parameters(function)
        pairs = arguments.to_parameters(package, name, find_r_class(node, self.scope), node.arguments, known)
        matching.check_argument_order(pairs, None, self.functions, name)
        if plain == "print" and not {each.name for each in node.arguments if each.name} <= set(known.names):
            raise TranslationError("print of data frames takes whole names of arguments only")
        flag = dict(pairs).get("na_rm")
        removed = isinstance(flag, (Constant, Name)) and self.translate_node(flag).text == "True"
        dropped = plain == "which" or (plain == "sum" and removed)
        with self.set_condition_mode(dropped=dropped):
            codes = [(key, self._translate_r_argument(key, value)) for key, value in pairs]
        if plain in TEXT_FUNCTIONS:
            # str distinguishes R's doubles from its integers
            doubles = plain == "str"
            codes = [
                (key, self.convert_for_display(code, value, doubles)) for (key, code), (_, value) in zip(codes, pairs)
            ]
        if plain in ("vapply", "diff"):
            codes = [(key, self.convert_for_display(code, None, key in ("FUN_VALUE", "x"))) for key, code in codes]
        if plain == "identical":
            literal = [isinstance(value, Constant) for _, value in pairs]
            codes = [(key, self.convert_for_display(each, None, one)) for (key, each), one in zip(codes, literal)]
        codes = write_doubles(name, codes)
        for _, code in codes if plain not in _GROUP_INDEPENDENT else ():
            refuse_groups(code, name)
        first = codes[0][1] if codes else Code("")
        refuse_unlike_r(plain, pairs, [code for _, code in codes])
        if plain == "message" and self.has_hidden_messages:
            raise TranslationError("a message that is not shown")
        if first.kind in ("list", "dict") and plain in VECTORS_ONLY:
            raise TranslationError(f"{name} of a list")
        if name in NUMPY_FUNCTIONS and len(codes) == 1 and first.kind != "named":
            kind = "doubles" if first.kind in VECTOR_KINDS else ""
            kind = first.kind if first.kind in ("column", "matrix", "number") else kind
            return Code(write_call(NUMPY_FUNCTIONS[name], [first.text]), kind, frame=first.frame, missing=first.missing)
        arrays, single = plain in DISTINGUISHES_LISTS, plain not in SUMMARY_FUNCTIONS
        texts = [
            (key, code.array if arrays or code.kind == "column" and single else code.sequence) for key, code in codes
        ]
        formula = next((value for _, value in pairs if get_function_name(value) == "~"), None)
        if formula and "data" in known.names:
            texts = [(key, text) for key, text in texts if key != "data"]
            texts.append(("data", self.translate_formula_data(formula, dict(pairs).get("data"))))
        missing = 0 if removed else max((code.missing for _, code in codes), default=0)
        kind = find_result_kind(plain, first, [code.kind for _, code in codes[1:]])
        if any(key.lower() == "simplify" and code.text == "False" for key, code in codes):
            kind = "list"
        given = arguments.write_arguments(known.names, node.arguments, texts, name)
        if plain == "print" and codes and (node.start, node.end) != self.printed_position:
            plain, kind = "printed", first.kind
        return Code(write_call(f"r.{plain}", given), kind, missing=0 if plain in NEVER_MISSING else missing)

    def _translate_r_argument(self, name: str, value: Node) -> Code:
        if name in FUNCTION_PARAMETERS and isinstance(value, Constant) and value.kind == "character":
            if value.value in ("[", "[["):
                return Code("r.element" if value.value == "[[" else "r.index", "function")
            return Code(self.translate_reference(str(value.value)), "function")
        if (
            name in FUNCTION_PARAMETERS
            and isinstance(value, Name)
            and self.frames
            and not self.scope.find_variable(value.name)
        ):
            # R looks up a function here, not a column
            return Code(self.translate_reference(value.name), "function")
        return self.translate_node(value)
