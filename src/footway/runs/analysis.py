"""What a study shows: the influence of each varied key, and differences between two studies."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from footway.errors import BadInput
from footway.validation import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footway.arrays import Floats
    from footway.recording.recording import Recording
    from footway.runs.results import Statistics, StudyResults

MAIN: Final = ("egress_time", "egress_95", "arrivals")
"""Measures that a report begins with: the first that has values."""

_MOST_FRAMES = 200  # in which the most crowded moment is searched


@dataclass(frozen=True)
class Difference:
    """Difference of a measure between two studies at one point.

    Attributes:
        point: values of the varied keys.
        old: statistics of the first study.
        new: statistics of the second one.
        p: probability of such a difference if there is none: Welch's t-test, two-sided.
        is_real: whether it is significant at 5 % among all points (Holm, 1979).

    """

    point: dict[str, Any]
    old: Statistics
    new: Statistics
    p: float
    is_real: bool


def unit_of(measure: str) -> str:
    """Return the unit of a measure; "" for numbers and shares."""
    kind = measure.partition(" ")[0]
    units = {"flow": "1/s", "density": "1/m²", "greatest_density": "1/m²", "cleared": "s"}
    return "s" if kind.startswith("egress_") else units.get(kind, "")


def with_unit(measure: str) -> str:
    """Return the name of a measure with its unit, for axes."""
    return ", ".join(filter(None, (measure, unit_of(measure))))


def main_measure(*studies: StudyResults, chosen: str | None = None) -> str:
    """Return the measure that a report is about: the chosen one, or the first that has values.

    Raises:
        BadInput: no run has a value of the chosen one.

    """
    names = MAIN if chosen is None else (chosen,)
    known = [
        {
            name
            for found in study.runs.values()
            for name, value in found.items()
            if value is not None
        }
        for study in studies
    ]
    for name in names:
        if all(name in values for values in known):
            return name
    if chosen is not None:
        values = set.intersection(*known)
        raise BadInput(f"no run has a value of {chosen!r}; {did_you_mean(chosen, values)}")
    return MAIN[-1]


def varies_alone(results: StudyResults, key: str) -> bool:
    """Return whether there are points that differ in this key only; not if values were drawn."""
    found: dict[str, set[str]] = {}
    for point in results.points:
        others = json.dumps({name: value for name, value in point.items() if name != key})
        found.setdefault(others, set()).add(json.dumps(point[key]))
    return max(map(len, found.values())) > 1


def is_number(value: Any) -> bool:
    """Return whether a value of a varied key has a place on an axis."""
    return isinstance(value, int | float) and not isinstance(value, bool)


@dataclass(frozen=True)
class Trend:
    """A parabola through the means of points.

    Attributes:
        x: places in ascending order (m,).
        mean: the parabola there.
        half: half of its 95 % confidence interval there.
        share: of the variance of the means that it explains, corrected for its three
            coefficients; 0 to 1.

    """

    x: Floats
    mean: Floats
    half: Floats
    share: float


def trend(results: StudyResults, key: str, measure: str) -> Trend | None:
    """Return the trend of a measure with a key of numbers; None with less than four points."""
    from scipy.special import stdtrit

    means = [results.statistics_at(k, measure).mean for k in range(len(results.points))]
    known = [k for k, mean in enumerate(means) if not math.isnan(mean)]
    x = np.array([float(results.points[k][key]) for k in known])
    y = np.array(means)[known]
    if len(np.unique(x)) < 4:
        return None
    low, width = x.min(), np.ptp(x)
    terms = np.vander((x - low) / width, 3)
    weights = np.linalg.lstsq(terms, y)[0]
    free = len(y) - 3
    variance = float(((y - terms @ weights) ** 2).sum()) / free
    at = np.linspace(low, low + width, 61)
    rows = np.vander((at - low) / width, 3)
    spread = np.sqrt(variance * np.sum(rows @ np.linalg.inv(terms.T @ terms) * rows, axis=1))
    total = float(y.var(ddof=1))
    share = max(0.0, 1.0 - variance / total) if total > 0.0 else 0.0
    return Trend(at, rows @ weights, float(stdtrit(free, 0.975)) * spread, share)


def sensitivities(results: StudyResults, measure: str) -> dict[str, float]:
    """Return the share of the variance of a measure that each varied key explains, 0 to 1.

    It is the correlation ratio: variance of the means by value of the key over the total variance.
    For numbers that were drawn, which differ in all points, it is that of the `trend`. NaN where
    the points are too few for it.
    """
    rows = [
        (results.points[point], value)
        for (point, _), found in results.runs.items()
        if (value := found.get(measure)) is not None
    ]
    values = np.array([value for _, value in rows])
    total = float(((values - values.mean()) ** 2).sum()) if rows else 0.0
    if total <= 0.0:
        return dict.fromkeys(results.points[0], 0.0)

    def between(keys: Sequence[str]) -> float:
        groups: dict[str, list[float]] = {}
        for point, value in rows:
            groups.setdefault(json.dumps([point[key] for key in keys]), []).append(value)
        return float(sum(len(g) * (np.mean(g) - values.mean()) ** 2 for g in groups.values()))

    shares = {}
    for key in results.points[0]:
        if varies_alone(results, key):
            shares[key] = between((key,)) / total
        elif all(is_number(point[key]) for point in results.points):
            found = trend(results, key, measure)
            share = between(tuple(results.points[0])) / total
            shares[key] = math.nan if found is None else found.share * share
        else:
            shares[key] = math.nan
    return shares


def compare(old: StudyResults, new: StudyResults, measure: str) -> list[Difference]:
    """Return the differences of a measure at the points that both studies have."""
    numbers = {json.dumps(point, sort_keys=True): k for k, point in enumerate(new.points)}
    found = []
    for k, point in enumerate(old.points):
        other = numbers.get(json.dumps(point, sort_keys=True))
        if other is None:
            continue
        sides = old.statistics_at(k, measure), new.statistics_at(other, measure)
        found.append((point, *sides, welch(*sides)))
    tested = [k for k, (*_, p) in enumerate(found) if not math.isnan(p)]
    order = sorted(tested, key=lambda k: found[k][3])
    real = set()
    for rank, k in enumerate(order):
        if found[k][3] * (len(order) - rank) > 0.05:
            break
        real.add(k)
    return [Difference(*one, k in real) for k, one in enumerate(found)]


def welch(a: Statistics, b: Statistics) -> float:
    """Return p of Welch's t-test of two means, two-sided; NaN if a side has less than two runs."""
    from scipy.special import stdtr

    if a.n < 2 or b.n < 2:
        return math.nan
    parts = [side.deviation**2 / side.n for side in (a, b)]
    error = sum(parts)
    if error == 0.0:
        return float(a.mean == b.mean)
    free = error**2 / sum(part**2 / (side.n - 1) for part, side in zip(parts, (a, b), strict=True))
    return 2.0 * float(stdtr(free, -abs(a.mean - b.mean) / math.sqrt(error)))


def most_crowded(recording: Recording, near: float = 1.0) -> int:
    """Return the frame with the most pairs of characters within `near` m of each other.

    In a building both are on the same floor or link.
    """
    from scipy.spatial import KDTree

    frames = np.unique(np.linspace(0, recording.n_frames - 1, _MOST_FRAMES).astype(int))
    pairs = []
    for k in frames.tolist():
        places = recording.frame(k).positions
        if recording.floor_names:
            _, floors = np.unique(recording.floors_at(k)[0], return_inverse=True)
            places = np.column_stack([places, 2.0 * near * floors])
        tree = KDTree(places)
        pairs.append(int(tree.count_neighbors(tree, near)) - tree.n)
    return int(frames[int(np.argmax(pairs))])
