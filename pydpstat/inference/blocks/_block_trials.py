"""Runs of a callable on made-up blocks: of one that may always fail, and of a test under a null hypothesis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pydpstat._data.containers import get_columns, is_pandas_frame, is_pandas_series
from pydpstat._lazy import pd
from pydpstat._null_distributions.quantiles.block_counts import bound_level
from pydpstat._release.options import Options
from pydpstat._warn import warn_usage
from pydpstat.inference.blocks._block_records import BlockSamples
from pydpstat.inference.blocks._block_runs import Callback, check_callable, convert_to_pvalue, open_isolated_runner

if TYPE_CHECKING:
    from pydpstat.inference.blocks._block_values import SampleContainer

# numbers of any sign, and then positive ones below 1, of which all functions have a value
_DRAWS: tuple[Callable[[np.random.Generator, int], npt.NDArray[np.float64]], ...] = (
    lambda generator, size: generator.normal(size=size),
    lambda generator, size: generator.uniform(0.05, 0.95, size=size),
)
# of a made-up block if the numbers of records are private
_DEFAULT_SIZE = 30
_N_DRAWS = 10_000


def warn_failing_callable(
    function: Callback,
    name: str,
    read: Callable[[object], float],
    samples: BlockSamples,
    options: Options,
    n_blocks: int,
) -> None:
    """Warn if a callable fails on made-up blocks of the types and the public size of those of the data.

    What happens to a block of the data is private: there a failure has the consequence that the functions document.
    Texts and other objects are not made up, since their possible values are not known.
    """
    sizes = samples.sizes if options.has_public_size else (_DEFAULT_SIZE * n_blocks,) * len(samples.sizes)
    errors: list[str] = []
    with open_isolated_runner() as run:
        for draw in _DRAWS:
            generator = np.random.default_rng(0)
            block = [
                _make_up_block(sample, partial(draw, generator), size // n_blocks)
                for sample, size in zip(samples.samples, sizes)
            ]
            if any(part is None for part in block):
                return
            result = run(partial(_call_and_note_error, function, errors), block, read)
            if result == result:
                return
    reason = f" ({errors[-1]})" if errors else ""
    consequence = "counts as no rejection" if name == "test" else "is decided by a coin"
    warn_usage(
        f"{name} fails on made-up numbers{reason}, in blocks of {min(sizes) // n_blocks} records with the types of the "
        f"data. A block of the data on which it fails {consequence}, without an error. Try it on made-up data first."
    )


def _call_and_note_error(function: Callback, errors: list[str], *block: object) -> object:
    """Call the function; note the type of an error, but not its text, and raise it again."""
    try:
        return function(*block)
    except BaseException as error:
        errors.append(type(error).__name__)
        raise


def _make_up_block(sample: SampleContainer, draw: Callable[[int], Any], size: int) -> Any:
    """Return a block of numbers in the container and of the types of a sample; None for others than numbers."""
    if is_pandas_frame(sample):
        columns = [_make_up_numbers(column.dtype, draw, size) for column in get_columns(sample)]
        if not columns or any(column is None for column in columns):
            return None
        block = pd.DataFrame(dict(enumerate(columns)))
        # a copy without its name, by which a callable could change the data
        block.columns = list(sample.columns)
        return block
    if is_pandas_series(sample):
        values = _make_up_numbers(sample.dtype, draw, size)
        return None if values is None else pd.Series(values, name=sample.name)
    if isinstance(sample, np.ndarray) and sample.ndim in (1, 2):
        width: Sequence[int] = sample.shape[1:]
        values = _make_up_numbers(sample.dtype, draw, size * int(np.prod(width)))
        return None if values is None else values.reshape((size, *width))
    return None


def _make_up_numbers(kind: object, draw: Callable[[int], Any], size: int) -> Any:
    """Return numbers or truth values of a type of NumPy; None for other types."""
    if not isinstance(kind, np.dtype) or kind.kind not in "fiub":
        return None
    numbers = draw(size)
    if kind.kind == "b":
        return numbers > 0.4
    return numbers.astype(kind) if kind.kind == "f" else np.floor(10.0 * np.abs(numbers)).astype(kind)


def simulate_level(test: Any, null: object, sizes: tuple[int, ...], n_blocks: int, level: float) -> float:
    """Return an upper confidence limit of a block's rejection probability under `null`, for both block sizes."""
    sampler = check_callable(null, "null", "lambda rng, size: rng.normal(size=size)")
    generator = np.random.default_rng(20231)
    smaller, larger = tuple(n // n_blocks for n in sizes), tuple(-(-n // n_blocks) for n in sizes)
    highest = 0.0
    for size in {smaller, larger}:
        hits = 0
        with open_isolated_runner() as run:
            for _ in range(_N_DRAWS):
                # errors of the sampler are shown, since they concern simulated records only
                drawn: Any = sampler(generator, size if len(size) > 1 else size[0])
                block = tuple(drawn) if len(size) > 1 else (drawn,)
                hits += run(test, block, convert_to_pvalue) <= level
        highest = max(highest, bound_level(hits, _N_DRAWS))
    return highest
