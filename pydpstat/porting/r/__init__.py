"""Base R's functions under R's names, for scripts that were R."""

from types import FunctionType

from pydpstat.porting.r import _distributions, _frames, _groups, _matrices, _models, _tests, _verbs

# functions of these modules that are none of R's
_OWN = set("row_name places bound joined_keys matches codes_of sorting stacked".split())

for _module in (_distributions, _frames, _groups, _matrices, _models, _tests, _verbs):
    for _name, _each in vars(_module).items():
        if isinstance(_each, FunctionType) and _each.__module__ == _module.__name__ and _name not in _OWN:
            if not _name.startswith("_"):
                globals()[_name] = _each
