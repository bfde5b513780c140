"""Measured data: small tables derived from experiments, and Weidmann's curve."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from footway.arrays import Floats


FOLDER: Final = Path(__file__).parent / "data"
BIN: Final = 0.25  # per m2 or per m, width of a bin of densities
_FEWEST: Final = 5  # samples of a bin
SPREAD: Final = 2.0  # deviations on either side that count as the measured spread: about 95 %


class Table(NamedTuple):
    """A table with its comments: what it is, source, how it was derived."""

    comments: tuple[str, ...]
    names: tuple[str, ...]  # (n,) experiment of each row; "" if the table has one only
    values: Floats  # (n, k) the columns of numbers

    def of(self, name: str) -> Floats:
        """Return the rows of one experiment, (m, k)."""
        rows: Floats = self.values[np.array(self.names) == name]
        return rows


class Interval(NamedTuple):
    """A measured value with its spread."""

    low: float
    mean: float
    high: float

    @classmethod
    def from_samples(cls, values: Floats) -> Interval:
        """Return mean and spread of samples (n,)."""
        mean, spread = float(values.mean()), SPREAD * float(values.std(ddof=1))
        return cls(mean - spread, mean, mean + spread)


@cache
def load_table(name: str) -> Table:
    """Return the table `data/NAME.csv`."""
    lines = (FOLDER / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    comments = tuple(line[2:] for line in lines if line.startswith("#"))
    columns, *rows = (line.split(",") for line in lines if not line.startswith("#"))
    named = columns[0] == "experiment"
    values = np.array([[float(value) for value in row[named:]] for row in rows])
    return Table(comments, tuple(row[0] if named else "" for row in rows), values)


def weidmann(density: float) -> float:
    """Return Weidmann's (1993) speed at a density per m2, m/s."""
    if density <= 0.0:
        return 1.34
    return max(0.0, 1.34 * (1.0 - math.exp(-1.913 * (1.0 / density - 1.0 / 5.4))))


class Bins(NamedTuple):
    """Mean and deviation of samples in bins of density."""

    centres: Floats  # (n,)
    means: Floats  # (n,)
    deviations: Floats  # (n,)

    @classmethod
    def from_samples(cls, density: Floats, value: Floats) -> Bins:
        """Sort samples into bins; those with few samples are left out."""
        number = np.floor(density / BIN).astype(int)
        rows = [
            ((k + 0.5) * BIN, value[number == k].mean(), value[number == k].std(ddof=1))
            for k in np.unique(number)
            if (number == k).sum() >= _FEWEST
        ]
        return cls(*np.array(rows).T)

    def interval(self, density: float) -> Interval | None:
        """Return mean and spread at a density, interpolated; None outside the measured range."""
        if not self.centres[0] - 0.5 * BIN <= density <= self.centres[-1] + 0.5 * BIN:
            return None
        mean = float(np.interp(density, self.centres, self.means))
        spread = SPREAD * float(np.interp(density, self.centres, self.deviations))
        return Interval(mean - spread, mean, mean + spread)
