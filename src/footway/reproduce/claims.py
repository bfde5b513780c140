"""What the papers say, what we find, and whether it still holds.

    footway reproduce              # ends with one table of all claims
    footway reproduce --claims     # the table of the last run

`verdicts.toml` has the verdict of every claim. A claim whose verdict gets worse is reported, and
`footway reproduce` fails. A quick run measures times too shortly to judge them.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from footway.errors import BadInput
from footway.reproduce.registry import EXPERIMENTS
from footway.reproduce.report import Cell, Table, as_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Verdict: TypeAlias = Literal["better", "same", "worse", "not comparable"]

FILE: Final = Path(__file__).with_name("verdicts.toml")

SAME: Final = 0.05
"""Relative difference up to which two numbers count as the same."""

_RANK: Final = {"better": 3, "same": 2, "worse": 1, "not comparable": 0}


@dataclass(frozen=True)
class Claim:
    """A number or a statement of a paper, and ours.

    Attributes:
        place: paper and section, table or figure.
        what: the quantity with its unit, or the statement.
        published: in the paper.
        ours: by default.
        verdict: ours compared with the paper.
        printed: ours with the method as printed in the paper, if the default differs.
        why: reason of a verdict that is not obvious.
        file: the figure or report that shows it.
        timed: it depends on a time or load that was measured.
    """

    place: str
    what: str
    published: Cell
    ours: Cell
    verdict: Verdict
    printed: Cell = None
    why: str = ""
    file: str = ""
    timed: bool = False

    @property
    def name(self) -> str:
        """Key of the claim in `verdicts.toml`."""
        return f"{self.place}: {self.what}"


def less(place: str, what: str, published: float, ours: float, **more: Any) -> Claim:
    """Return a claim about a number of which less is better, such as a length."""
    return Claim(place, what, published, ours, _compare(ours, published), **more)


def less_time(place: str, what: str, published: float, ours: float, **more: Any) -> Claim:
    """Return a claim about a time or load that was measured."""
    return less(place, what, published, ours, timed=True, **more)


def more(place: str, what: str, published: float, ours: float, **more: Any) -> Claim:
    """Return a claim about a number of which more is better, such as a clearance."""
    return Claim(place, what, published, ours, _compare(published, ours), **more)


def stated(
    place: str, what: str, ours: Cell, *, held: bool, says: str = "yes", **more: Any
) -> Claim:
    """Return a claim that holds or does not."""
    return Claim(place, what, says, ours, "same" if held else "worse", **more)


def apart(place: str, what: str, published: Cell, ours: Cell, *, why: str, **more: Any) -> Claim:
    """Return a claim that cannot be compared, and why."""
    return Claim(place, what, published, ours, "not comparable", why=why, **more)


def explained(claim: Claim, why: str) -> Claim:
    """Return a claim with the reason why it is worse; the claim itself if it is not."""
    return replace(claim, why=why) if claim.verdict == "worse" else claim


def _compare(ours: float, published: float) -> Verdict:
    """Compare two numbers of which less is better."""
    if abs(ours - published) <= SAME * max(abs(published), abs(ours)):
        return "same"
    return "better" if ours < published else "worse"


def table_of(claims: Sequence[Claim]) -> Table:
    """Return all claims as one table."""
    rows = [
        (
            claim.place,
            claim.what,
            claim.published,
            claim.printed,
            claim.ours,
            f"{claim.verdict}: {claim.why}" if claim.why else claim.verdict,
            f"[{claim.file}]({claim.file})",
        )
        for claim in claims
    ]
    counts = ", ".join(
        f"{sum(claim.verdict == verdict for claim in claims)} {verdict}" for verdict in _RANK
    )
    columns = ("paper", "claim", "published", "as printed", "by default", "verdict", "figure")
    note = (
        f"{len(claims)} claims: {counts}. `as printed`: with the method of the paper where our "
        f"default differs. Numbers within {SAME:.0%} are the same; where a paper says only `many` "
        "or `marginal`, the limit is ours. Times are those of each "
        "paper's machine (2004 to 2013) and of this one; ours are processor times, which "
        "depend less on the load of the machine."
    )
    return Table("All claims of the papers", columns, rows, note)


def broken(name: str, claims: Iterable[Claim], *, whole: bool) -> list[str]:
    """Return which claims of a report are worse than their committed verdict, or have none.

    After a whole run, no known claim may be missing. A quick run does not measure all of them, and
    its times, which other processes lengthen, are not judged.
    """
    known = tomllib.loads(FILE.read_text(encoding="utf-8")).get(name, {})
    found = {claim.name: claim for claim in claims}
    judged = {key: claim for key, claim in found.items() if whole or not claim.timed}
    wrong = [_changed(claim, known.get(key)) for key, claim in judged.items()]
    missing = [f"{key}: no longer measured" for key in known if whole and key not in found]
    return [words for words in wrong if words] + missing


def _changed(claim: Claim, before: Verdict | None) -> str:
    if before is None:
        return f"{claim.name}: new; add it to {FILE.name}: {claim.verdict}"
    if _RANK[claim.verdict] >= _RANK[before]:
        return ""
    numbers = f"published {as_text(claim.published)}, ours {as_text(claim.ours)}"
    return f"{claim.name}: was {before}, is {claim.verdict} ({numbers})"


def read_claims(folder: Path) -> list[Claim]:
    """Return the claims of all reports in a folder of `footway reproduce`.

    Raises:
        BadInput: there is no report, or one cannot be read.
    """
    files = [file for name in EXPERIMENTS if (file := folder / f"{name}.json").exists()]
    try:
        documents = [json.loads(file.read_text(encoding="utf-8")) for file in files]
        claims = [Claim(**claim) for document in documents for claim in document["claims"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"a report in {folder} cannot be read ({error}): reproduce it") from error
    if not claims:
        raise BadInput(f"{folder} has no report: run `footway reproduce -o {folder}` first")
    return claims
