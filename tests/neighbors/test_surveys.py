"""The answers of two persons with different values are equal up to sampling error."""

from itertools import chain

import pytest

from tests.neighbors.engine import compared
from tests.neighbors.named import parameters
from tests.neighbors.surveys import ACCESSES, MEASURED, SURVEYS, measured, surveyed, veiled


@pytest.mark.parametrize(
    "survey, kind",
    parameters(
        (f"answers of {survey.name} in {kind.name}", (survey, kind)) for survey in SURVEYS for kind in survey.kinds
    ),
)
def test_answers_are_alike(survey, kind, capfd):
    check(chain(surveyed(survey, kind), veiled(survey, kind) if survey.name != "coins" else ()), capfd)


@pytest.mark.parametrize("kind", parameters((f"noise on {kind.name}", kind) for kind in MEASURED))
@pytest.mark.parametrize("access", ACCESSES, ids=["laplace", "gaussian"])
def test_numbers_with_noise_are_alike(access, kind, capfd):
    check(measured(access, kind), capfd)


def check(cases, capfd):
    found, released = compared(cases)
    assert found == [] and released
    assert capfd.readouterr() == ("", "")
