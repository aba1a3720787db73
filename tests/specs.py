"""A spec of a release for tests: noise from a function of the sensitivities, and one guarantee."""

from typing import Any


class CallableSpec:
    """How a question is protected, by a function."""

    def __init__(self, calibrate: Any, guarantee: Any) -> None:
        self._calibrate, self._guarantee = calibrate, guarantee

    def calibrate(self, question: Any, sensitivities: Any) -> Any:
        """Return the function's noise."""
        return self._calibrate(sensitivities)

    def make_guarantees(self, question: Any, noise: Any) -> Any:
        """Return the guarantee, as claim and as what holds."""
        return self._guarantee, self._guarantee
