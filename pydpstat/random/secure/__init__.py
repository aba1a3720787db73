"""Noise from the operating system's generator, exact in every bit: one module a family of distributions.

Every function draws from precisely the distribution that it names. A uniform real number U is an endless
string of random bits, of which 52 are drawn first, so that U is known to lie in a cell of width
2^-52; h is half of that.

- Laplace and normal noise (`laplace`, `normal`) is the real number ``ratio * f(U)``, f = -log or
  f(t) = -Phi^-1(t / 2), with a random sign, rounded to an integer of grid units. Both have the
  textbook distributions exactly. Floating point finds the rounded number, and a bound of its error tells
  whether any U of the cell rounds to something else (`inversion` has the proof of the bound):
  U's unknown bits move f by at most 2 h / u, the logarithm is taken to be right to 2^-46 and the
  normal quantile to 2^-45, relatively. The C library states one unit in the last place for its
  logarithm, NumPy's own accuracy tests allow 4, and Cephes states 6 for the quantile; 64 and 128 are
  allowed here, and the tests compare both functions with multiple precision. A machine whose
  functions are worse than that would be needed to break the guarantee.
- Where the bound leaves a doubt (about one draw in ten million), that draw alone is finished
  (`precise`): more bits of the same U, and integer bounds from mpmath's functions, until one integer
  is left. The first cell, next to 0, is always finished so. Hence each released number is a
  function of the real U, whatever part of it was drawn, and its distribution is that of the function.
- A two-sided geometric number (`discrete`) is the integer part of a real number of the same kind.
- Bernoulli trials (`trials`) compare U with the probability, bit by bit where need be. Many trials
  with one probability (`flips`) take one byte each, and more where that is the probability's own.
- The discrete Gaussian distribution (`discrete`) is Canonne, Kamath and Steinke's rejection from the
  geometric one; each trial compares -log U with an exponent whose own rounding error is bounded.
- Integers below a limit and orders (`_bits`) take bits until they fit.
- A vector whose probability falls with a norm (`discrete`) is a radius, the sum of geometric numbers, and
  a point of the ball of that radius.
- The exponential mechanism's choice (`choices`) finds U among cumulative weights; its module states
  the sums' error bound, and integers decide where it does not.
- Permute-and-flip's choice (`largest_noise`) compares the largest noise of runs of equal candidates, each a
  function of one U.

A parameter is the exact number that its float is. `uniform` and `gamma` are the exception: they are
right to rounding only, and what uses them says so in its guarantee.
No bits are kept between calls, so a forked process or another thread never sees the same ones.

References
----------
Mironov, I. (2012). On significance of the least significant bits for differential privacy. CCS 2012.
Canonne, C. L., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for differential privacy.
NeurIPS 2020.
"""

from __future__ import annotations

from pydpstat._grid import grid_unit
from pydpstat.random.secure._bits import integers
from pydpstat.random.secure.choices import Rest, choice_rate, choose
from pydpstat.random.secure.continuous import gamma, laplace, normal, uniform
from pydpstat.random.secure.discrete import discrete_gaussian, norm_ball, sign_geometric, symmetric_geometric
from pydpstat.random.secure.largest_noise import noisy_max
from pydpstat.random.secure.trials import Chance, LogisticChance, RationalChance, bernoulli, bernoulli_exp, flips

__all__ = [
    "Chance",
    "LogisticChance",
    "RationalChance",
    "Rest",
    "bernoulli",
    "bernoulli_exp",
    "choice_rate",
    "choose",
    "discrete_gaussian",
    "flips",
    "gamma",
    "grid_unit",
    "integers",
    "laplace",
    "noisy_max",
    "norm_ball",
    "normal",
    "sign_geometric",
    "symmetric_geometric",
    "uniform",
]
