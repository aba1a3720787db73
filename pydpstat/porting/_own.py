"""pydpstat's functions in place of DPpack's, for ``port --own``, and of sdcMicro's."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pydpstat.porting import _call_arguments as arguments
from pydpstat.porting._code import NUMBER_KINDS, Code, TranslationError, write_call
from pydpstat.porting._scope import get_word
from pydpstat.porting._syntax import Call, Node

_OWN_FUNCTIONS = {
    "meanDP": "mean",
    "varDP": "var",
    "sdDP": "std",
    "medianDP": "median",
    "quantileDP": "quantile",
    "histogramDP": "histogram",
}
_NEIGHBORS = {"bounded", "unbounded"}
_NOISE_MECHANISMS = {"Laplace": "", "exponential": "", "analytic": "gaussian", "Gaussian": "gaussian"}


def translate_to_pydpstat(name: str, given: Mapping[str, Code]) -> str | None:
    """Return a call of pydpstat's function that replaces one of DPpack's, or None.

    Examples
    --------
    >>> x, low, high = Code("x"), Code("0", "number"), Code("9", "number")
    >>> translate_to_pydpstat("meanDP", {"x": x, "eps": Code("1", "number"), "lower_bound": low, "upper_bound": high})
    'pydpstat.mean(x, epsilon=1, bounds=(0, 9))'
    """
    left = dict(given)
    function = _OWN_FUNCTIONS.get(name)
    needed = {"x", "eps", *(() if name == "histogramDP" else ("lower_bound", "upper_bound"))}
    if function is None or not needed <= set(left):
        return None
    texts = [left.pop("x").sequence]
    if name == "quantileDP":
        if "quant" not in left:
            return None
        texts.append(left.pop("quant").text)
    texts.append(f"epsilon={left.pop('eps').text}")
    low, high = left.pop("lower_bound", None), left.pop("upper_bound", None)
    if name == "histogramDP":
        breaks = left.pop("breaks", None)
        # breaks given as a number or a rule are computed from the data
        if breaks is None or breaks.kind not in ("doubles", "ints", "positions"):
            return None
        texts.append(f"edges={breaks.sequence}")
    elif low is None or high is None or not {low.kind, high.kind} <= {*NUMBER_KINDS, ""}:
        return None
    else:
        texts.append(f"bounds=({low.text}, {high.text})")
    neighbors = left.pop("which_sensitivity", Code('"bounded"')).text.strip('"')
    noise = left.pop("mechanism", Code('"Laplace"')).text.strip('"')
    left.pop("type_DP", None)
    delta = left.pop("delta", None)
    if left or neighbors not in _NEIGHBORS or noise not in _NOISE_MECHANISMS:
        return None
    if _NOISE_MECHANISMS[noise]:
        if delta is None:
            return None
        texts += [f'mechanism="{_NOISE_MECHANISMS[noise]}"', f"delta={delta.text}"]
    if neighbors != "bounded":
        texts.append(f'neighbors="{neighbors}"')
    return write_call(f"pydpstat.{function}", texts)


def translate_microaggregation(node: Call, value: Callable[[Node], Code]) -> Code:
    """Translate a call of sdcMicro's ``microaggregation``; `value` translates its arguments."""
    known = ["obj", "variables", "aggr", "strata_variables", "method"]
    given = dict(arguments.match_parameters(known, node.arguments, "microaggregation"))
    if set(given) - {"obj", "aggr", "method"} or get_word(given.get("method")) != "mdav":
        raise TranslationError("microaggregation of groups, or by another method than mdav")
    size = value(given["aggr"]).text if "aggr" in given else "3"
    texts = [value(given["obj"]).text, size, "standardize=True"]
    return Code(write_call("pydpstat.anonymity.microaggregation", texts), "microaggregation")
