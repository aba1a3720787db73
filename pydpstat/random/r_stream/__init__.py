"""R's random streams, equal to R's bit for bit, without R."""

from pydpstat.random.r_stream._continuous import ContinuousDistributions
from pydpstat.random.r_stream._counts import CountDistributions
from pydpstat.random.r_stream._gamma import BetaDistribution
from pydpstat.random.r_stream._sample import Sampling

__all__ = ["RRandom"]


class RRandom(ContinuousDistributions, BetaDistribution, CountDistributions, Sampling):
    """R's random number stream after ``set.seed(seed)``, bit for bit.

    It is R's default ``RNGkind("Mersenne-Twister", "Inversion", "Rejection")``. The methods have R's
    names and continue the stream from call to call, as R does. A seeded stream is for checking and
    study: anyone who knows the seed or the state knows the noise.

    Parameters
    ----------
    seed : int
        As for R's ``set.seed``: from -2147483647 to 2147483647.

    Attributes
    ----------
    state : ndarray of int32, shape (626,)
        R's ``.Random.seed``; can be set.

    Raises
    ------
    PydpstatError
        If the seed is not an integer in that range.

    See Also
    --------
    pydpstat.random.source_from : the sources that functions take.

    Notes
    -----
    The numbers are those of R 4.2.2. A later R that corrects the algorithm of a distribution draws other numbers
    of that distribution.

    References
    ----------
    Matsumoto, M. and Nishimura, T. (1998). Mersenne Twister. ACM Transactions on Modeling and Computer
    Simulation, 8, 3-30. R Core Team, R 4.2.2, ``?RNG``.

    Examples
    --------
    >>> from pydpstat.random.r_stream import RRandom
    >>> rng = RRandom(123)
    >>> rng.runif(1), rng.rnorm(1)
    (array([0.28757752]), array([0.80055428]))
    """
