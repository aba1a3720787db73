"""Noise from the operating system's generator, exact in every bit, with one module per family of distributions.

Every function draws exactly from the distribution that it names. A uniform real number U is an infinite string of
random bits, of which 52 are drawn first, so that U is known to lie in a cell of width 2^-52; h is half of that.

- Laplace and normal noise (`laplace`, `normal`) is the real number ``ratio * f(U)``, f = -log or
  f(t) = -Phi^-1(t / 2), with a random sign, rounded to an integer of grid units. Both have exactly the textbook
  distributions. Floating point finds the rounded number, and an error bound decides whether any U of the cell rounds
  to a different number (see `bound_error` of the module `continuous`): U's unknown bits change f by at most 2 h / u,
  and the relative errors of the logarithm and the normal quantile are assumed to be at most 2^-46 and 2^-45. The C
  library documents one unit in the last place for its logarithm, NumPy's own accuracy tests allow 4, and Cephes
  documents 6 for the quantile; 64 and 128 are allowed here, and the tests compare both functions with multiple
  precision. Only a machine with less accurate functions could break the guarantee.
- If the bound does not decide (about one draw in ten million), that draw alone is completed (`_precise`) with further
  bits of the same U, and integer bounds from mpmath's functions, until one integer is left. The first cell, next to 0,
  is always completed in this way. Hence each released number is a function of the real U, whatever part of it was
  drawn, and its distribution is that of the function.
- A two-sided geometric number (`discrete`) is the integer part of a real number of the same kind.
- Bernoulli trials (`trials`) compare U with the probability, bit by bit if necessary. Many trials with one probability
  (`flips`) use one byte each, and more if it equals the probability's first byte.
- The discrete Gaussian distribution (`discrete`) is drawn by Canonne, Kamath and Steinke's rejection from the geometric
  one; each trial compares -log U with an exponent whose rounding error is bounded. Many draws are found in a table of
  the distribution function (`_gaussian_table`), whose bounds are integers; U has 16 bits, and more if these do not
  decide.
- Integers below a limit and permutations (`_bits`) are drawn by rejection.
- A vector whose probability decreases with a norm (`discrete`) is drawn as a radius, the sum of geometric numbers, and
  a point of the ball of that radius.
- The choice of the exponential mechanism (`choices`) finds U among cumulative weights; its module has the error bound
  of the sums, and integers decide if the bound does not.
- The choice of permute-and-flip (`largest_noise`) compares the largest noise of runs of equal candidates, each a
  function of one U.

A parameter is the exact number that its float represents. `uniform` and `gamma` are exceptions: they are correct up to
rounding only, and releases that use them state this in their guarantee. No bits are kept between calls, so a forked
process or another thread never uses the same ones.

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
