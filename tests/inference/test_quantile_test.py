"""The private test of a quantile."""

import numpy as np
import pytest
from scipy import stats

from pydpstat import binomtest, quantile_test
from pydpstat._null_distributions.noise import Tulap
from pydpstat.errors import PydpstatError

PLAIN = 1e6
X = np.concatenate([np.arange(60) / 7.0, [3.0] * 5])


@pytest.mark.parametrize("q, p", [(4.0, 0.5), (3.0, 0.4), (3.0, 0.25), (100.0, 0.9)])
def test_without_noise_a_pvalue_lies_between_two_of_the_binomial_law(q, p):
    below, above, n = int((X < q).sum()), int((X > q).sum()), X.size
    less = quantile_test(X, PLAIN, q=q, p=p, alternative="less", rng=2).pvalue
    greater = quantile_test(X, PLAIN, q=q, p=p, alternative="greater", rng=2).pvalue
    # that so many are below, and that so many are above, where the uniform number breaks ties
    assert stats.binom.sf(below, n, p) - 1e-12 <= less <= stats.binom.sf(below - 1, n, p) + 1e-12
    assert stats.binom.sf(above, n, 1 - p) - 1e-12 <= greater <= stats.binom.sf(above - 1, n, 1 - p) + 1e-12
    both = quantile_test(X, PLAIN, q=q, p=p, rng=2).pvalue
    assert both == pytest.approx(min(1.0, 2.0 * min(less, greater)), rel=1e-12)


def test_what_is_released():
    result = quantile_test(X, 1.0, q=3.0, rng=1)
    assert [name for name, _ in result.released][:2] == ["below", "above"]
    # both counts may change: half of epsilon each
    assert float(result.noise_scale) == 2.0 and result.validity == "exact" and result.guarantee.epsilon == 1.0
    untied = quantile_test(X, 1.0, q=3.1, ties=False, rng=1)
    assert float(untied.noise_scale) == 1.0 and "whether a record equals q" in untied.assumptions[1]
    # what equals q in spite of that is not below
    assert quantile_test([1.0, 2.0, 2.0, 3.0], PLAIN, q=2.0, ties=False).released[0] == ("below", 1.0)
    private = quantile_test(X, PLAIN, q=3.0, neighbors="unbounded")
    assert dict(private.released) == {"below": 21.0, "equal": 6.0, "above": 38.0}
    assert private.validity == "model" and private.nobs is None
    private = quantile_test(X, PLAIN, q=3.1, neighbors="unbounded", ties=False)
    assert dict(private.released) == {"below": 27.0, "not below": 38.0}
    with pytest.raises(PydpstatError, match="no interval"):
        result.conf_int()


def test_ties_make_it_careful():
    # the median of records that all equal q is q
    assert quantile_test([1.0] * 50, PLAIN, q=1.0).pvalue == 1.0
    assert quantile_test([1.0] * 50, 1.0, q=1.0, neighbors="unbounded", rng=1).pvalue > 0.5
    assert quantile_test([1.0] * 50, PLAIN, q=1.5).pvalue < 1e-9
    shares = dict(quantile_test(X, PLAIN, q=3.0).estimates)
    assert shares == {"share below": 21 / 65, "share above": 38 / 65}


def test_missing_values_get_a_number():
    assert quantile_test([1.0, np.nan], PLAIN, missing=-1.0).released[0] == ("below", 1.0)


@pytest.mark.parametrize("test", [quantile_test, lambda x, *how, **more: binomtest(x > 0.0, *how, **more)])
def test_noise_as_large_as_the_number_of_records_makes_it_uninformative(test, monkeypatch):
    monkeypatch.setattr(Tulap, "ppf", lambda noise, share: 10.0)
    assert "uninformative" in test(np.arange(10.0), 1.0, rng=1).remarks[0]
    assert test(np.arange(11.0), 1.0, rng=1).remarks == ()
