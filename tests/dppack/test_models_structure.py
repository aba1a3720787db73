"""How a fit goes through the package: the modules it enters, and functions it need not check."""

from __future__ import annotations

import numpy as np
import pytest

from pydpstat import dppack
from pydpstat.dppack import EmpiricalRiskMinimizationDP_CMS
from tests.dppack.cms_models import X, Y


@pytest.mark.parametrize("method", ["objective", "output"])
@pytest.mark.parametrize("gradients", [True, False])
def test_functions_of_ones_own_give_the_same_fit(method, gradients):
    def wrapped(function):
        return lambda *arguments: function(*arguments).tolist()

    functions = [dppack.mapXy_sigmoid, dppack.loss_cross_entropy]
    slopes = [dppack.mapXy_gr_sigmoid, dppack.loss_gr_cross_entropy] if gradients else [None, None]

    def fitted(change):
        mapXy, loss = map(change, functions)
        given = [each and change(each) for each in slopes]
        model = EmpiricalRiskMinimizationDP_CMS(mapXy, loss, "l2", 1e3, 1.0, method, 0.25, *given)
        return model.fit(X[["a"]], Y, 0.5, -0.5, rng=1).coeff

    assert np.array_equal(fitted(lambda function: function), fitted(wrapped))
