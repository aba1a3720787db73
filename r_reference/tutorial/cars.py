"""Two columns of Cars93: 93 car models on sale in the USA in 1993, by type and by origin.

The file ``cars93.csv`` holds the columns Type and Origin of the data set Cars93 in R's package
MASS, in its order. They come from Lock, R. H. (1993). 1993 New Car Data. Journal of Statistics
Education 1(1).
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

# the factors' levels, in R's order
LEVELS = {
    "Type": ("Compact", "Large", "Midsize", "Small", "Sporty", "Van"),
    "Origin": ("USA", "non-USA"),
}


def records() -> tuple[tuple[str, str], ...]:
    """Return type and origin of each car.

    Returns
    -------
    tuple of (str, str)
        93 pairs, in the data set's order.

    References
    ----------
    Lock, R. H. (1993). 1993 New Car Data. Journal of Statistics Education 1(1).

    Examples
    --------
    >>> from r_reference.tutorial.cars import records
    >>> records()[:2]
    (('Small', 'non-USA'), ('Midsize', 'non-USA'))
    """
    text = Path(__file__).with_name("cars93.csv").read_text(encoding="utf-8")
    return tuple((row["Type"], row["Origin"]) for row in csv.DictReader(text.splitlines()))


def cars93() -> pd.DataFrame:
    """Return type and origin of each car as two factors.

    Returns
    -------
    DataFrame of shape (93, 2)
        The columns Type and Origin are Categoricals with all levels of R's factors, in R's order.

    References
    ----------
    Lock, R. H. (1993). 1993 New Car Data. Journal of Statistics Education 1(1).

    Examples
    --------
    >>> from r_reference.tutorial.cars import cars93
    >>> cars93().Origin.value_counts().to_dict()
    {'USA': 48, 'non-USA': 45}
    """
    import pandas as pd

    columns = zip(LEVELS.items(), zip(*records()))
    return pd.DataFrame({name: pd.Categorical(values, levels) for (name, levels), values in columns})
