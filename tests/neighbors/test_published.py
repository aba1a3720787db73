"""No array of a result can be made writable, and what a result states first is what holds."""

import copy
import pickle

import pytest

from pydpstat.results import InferenceResults
from tests.neighbors.named import parameters
from tests.neighbors.published import results, statements
from tests.neighbors.sameness import arrays, writeable
from tests.sample_results import parts

RESULTS = results()


@pytest.mark.parametrize("make", parameters((f"arrays of {name}", make) for name, make in RESULTS.items()))
def test_no_array_of_a_result_can_be_written_to(make):
    result = make()
    for each in parts(result):
        for form in (each, copy.copy(each), copy.deepcopy(each), pickle.loads(pickle.dumps(each))):
            assert writeable(form) == []
    # the numbers of a test are floats
    assert any(isinstance(each, InferenceResults) or any(True for _ in arrays(each)) for each in parts(result))


@pytest.mark.slow
@pytest.mark.parametrize("make", parameters((f"claim of {name}", make) for name, make in RESULTS.items()))
def test_what_holds_is_stated_first(make):
    assert statements(make()) == []
