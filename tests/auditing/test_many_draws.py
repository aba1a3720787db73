"""Releases that are one query and its noise, audited with many draws: the query is answered once.

What is audited are the true values and the noise of the releases themselves: each element, and the
likelihood ratio. The audit cases that sample, discover levels, break ties at random or put an error anywhere
draw more than noise, and are audited call by call.
"""

from __future__ import annotations

import dataclasses
import inspect
import os
import random

import numpy as np
import pytest

from pydpstat._records.moment_noise import MomentNoise
from pydpstat._release import pipeline
from pydpstat.auditing import audit
from pydpstat.auditing._cases import all_cases
from pydpstat.auditing._command import SOUND_CONFIDENCE
from pydpstat.mechanisms.geometric import SymmetricGeometricNoise
from pydpstat.mechanisms.mechanism import SeparateNoise
from pydpstat.random.secure import _bits

# `nox -s audits` draws a million
DRAWS = int(os.environ.get("PYDPSTAT_AUDIT_DRAWS", "25000"))
# what suffices to find 1 / 0.9 behind a claim of 1
ENOUGH = 100_000
FEWER = 0.9
RANDOM = ("sampled", "discover", "ties", "an error")


class Asked(BaseException):
    """Ends a release in front of its noise, and has the query, how it is protected, and the source."""


def asked(release, data):
    """Return what a release asks of the data, or None where it asks for no noise or more than once."""
    found = []

    def kept(*given):
        found.append(given)
        return real(*given)

    real = pipeline._add_noise
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "_add_noise", kept)
        # neighbors share what is drawn before the noise, such as each record's block
        patch.setattr(_bits, "entropy", random.Random(3).randbytes)
        release(data)
    return found[0] if len(found) == 1 else None


class Many:
    """Many draws of one release at once, each with its log likelihood ratio of both data sets."""

    def __init__(self, case, share=1.0):
        self.sides = [as_drawn(*asked(case.release, data)) for data in (case.data, case.neighbor)]
        (one, prepared, _), (other, also, _) = self.sides
        assert np.array_equal(prepared.noise.scale, also.noise.scale) and prepared.grid == also.grid
        self.noise, self.claim = smaller(prepared.noise, share), case.claim or prepared.guarantee
        self.values = [np.ravel(query.value, order="F") for query in (one, other)]

    @property
    def loss(self):
        """The largest log likelihood ratio: that of what is far beyond both values."""
        one, other = self.values
        return float(self._ratio((one + 50.0 * np.sign(one - other) * self.noise.scale)[None, :])[0])

    def _ratio(self, drawn):
        one, other = (log_likelihood(self.noise, drawn - each) for each in self.values)
        return one - other

    def __call__(self, side, size):
        query, prepared, source = self.sides[side]
        value = np.tile(self.values[side], size)
        exact = None if query.exact is None else query.exact * size
        noise = repeated(self.noise, size)
        drawn = pipeline._add_noise(
            dataclasses.replace(query, value=value, exact=exact), prepared._replace(noise=noise), source
        ).reshape(size, -1)
        # what is beyond both values has one ratio, but for rounding
        return np.column_stack([drawn, np.round(self._ratio(drawn), 9)])


def as_drawn(query, prepared, source):
    """Return what a release asks with its elements in the order in which their noise is drawn."""
    noise = prepared.noise
    if not isinstance(noise, MomentNoise):
        return query, prepared, source
    order = np.argsort(noise.order)
    query = dataclasses.replace(query, value=query.value[order], exact=[query.exact[k] for k in order])
    return query, prepared._replace(noise=SeparateNoise(noise.noises, noise.sizes)), source


def smaller(noise, share):
    """Return noise of the same kind with a part of the scale, as for a part of the sensitivity."""
    if isinstance(noise, SeparateNoise):
        return dataclasses.replace(noise, noises=tuple(smaller(each, share) for each in noise.noises))
    if isinstance(noise, SymmetricGeometricNoise):
        return dataclasses.replace(noise, epsilon=noise.epsilon / share)
    scale = dataclasses.fields(noise)[0].name
    return dataclasses.replace(noise, **{scale: share * np.asarray(getattr(noise, scale))[()]})


class Repeated(SeparateNoise):
    """The noise of many releases, one after the other; what is alike in all of them is drawn at once."""

    def draw(self, source, size, grid):
        copies = size // sum(self.sizes)
        drawn = [noise.draw(source, copies * each, grid) for noise, each in zip(self.noises, self.sizes)]
        return np.hstack([each.reshape(copies, -1) for each in drawn]).ravel()


def repeated(noise, size):
    """Return the noise of so many releases, one after the other."""
    if isinstance(noise, SeparateNoise):
        return Repeated(noise.noises, noise.sizes)
    return dataclasses.replace(noise, scale=np.tile(noise.scale, size)) if np.ndim(noise.scale) else noise


def log_likelihood(noise, off):
    if isinstance(noise, SeparateNoise):
        blocks = np.split(off, np.cumsum(noise.sizes)[:-1], axis=1)
        return sum(log_likelihood(each, block) for each, block in zip(noise.noises, blocks))
    if hasattr(noise, "norm"):
        return -noise.norm(off.reshape(len(off), -1, noise.width)).sum(axis=1)
    density = noise.pmf(np.rint(off)) if noise.integer else noise.pdf(off)
    return np.log(np.maximum(density, 1e-300)).sum(axis=1)


def is_one_query(case):
    calls = case.kind == "sound" and "size" not in inspect.signature(case.release).parameters
    if not calls or any(word in case.name for word in RANDOM):
        return False
    return asked(case.release, case.data) is not None


CASES = {case.name: case for case in all_cases() if is_one_query(case)}


def found(many, draws):
    return audit(many, 0, 1, claim=many.claim, samples=draws, confidence=SOUND_CONFIDENCE, rng=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_release_keeps_its_claim(name):
    many = Many(CASES[name])
    result = found(many, DRAWS)
    assert not result.violates
    if not many.claim.delta:
        assert many.loss <= many.claim.epsilon * (1.0 + 1e-9)
        # what cannot be seen is not cleared: of many elements few draws are beyond all values
        assert result.epsilon_lower >= (0.8 if DRAWS >= ENOUGH else 0.4) * many.loss


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mean", "count, unbounded", "moments", "weighted_mean, unbounded"])
def test_a_sensitivity_that_is_a_tenth_too_small_is_found(name):
    result = found(Many(CASES[name], FEWER), max(DRAWS, ENOUGH))
    assert result.violates and 1.0 < result.epsilon_lower < 1.0 / FEWER + 0.01


@pytest.mark.parametrize("name", [name for name in CASES if DRAWS >= ENOUGH and "Gaussian" not in name])
def test_in_every_release_it_is_found(name):
    many = Many(CASES[name])
    if many.loss:
        # neighbors that are further from the claim than others are brought as far beyond it
        found_too_small = found(Many(CASES[name], FEWER * many.loss / many.claim.epsilon), DRAWS)
        assert found_too_small.violates


@pytest.mark.slow
def test_many_draws_are_those_of_single_calls():
    # a mean is clipped to its bounds, and a sum is as it was drawn
    case = CASES["sum"]
    many = Many(case)
    single = np.array([case.release(case.data).value for _ in range(4_000)])
    for drawn in (many(0, 20_000)[:, 0], single):
        off, scale = drawn - many.values[0], many.noise.scale
        # five standard errors of a mean and of a mean distance of Laplace noise
        assert abs(off.mean()) < 5.0 * scale * np.sqrt(2.0 / len(drawn))
        assert abs(np.abs(off).mean() - scale) < 5.0 * scale / np.sqrt(len(drawn))


def test_the_other_cases_are_no_single_query_or_draw_many_already():
    left = [case.name for case in all_cases() if case.kind == "sound" and case.name not in CASES]
    several = ("quantile", "median", "choose", "logit", "slope", "HC3", "symmetric_geometric", "many")
    assert not [name for name in left if not any(word in name for word in (*RANDOM, *several))]
    assert len(CASES) > 100
