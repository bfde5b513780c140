"""One valid call of every command: the misuse test changes the values of its options.

Commands that would take long or serve for ever get something that does not exist besides, so that
they end when their options are checked.
"""

from __future__ import annotations

from tests.misuse.calls import files, space_map

PATH = ("--start", "2,2", "--goal", "18,12")


def _map():
    return str(files() / "map.geojson")


def _roadmap():
    file = files() / "space.fwmap"
    space_map().save(file)
    return str(file)


COMMANDS = {
    "build": lambda: ("build", _map()),
    "build --method": lambda: ("build", _map(), "--method", "rrm", "--resolution", "1"),
    "build --method voronoi_prm": lambda: (
        *("build", _map(), "--method", "voronoi_prm", "--samples", "100", "--blends", "halved"),
    ),
    "build --useful-nodes": lambda: (
        *("build", _map(), "--method", "rrm_star", "--resolution", "1"),
        *("--useful-nodes", "published"),
    ),
    "camera": lambda: ("camera", _map(), "--stops", "2,2; 18,12"),
    "camera --follow": lambda: (
        "camera", _map(), "--follow", str(files() / "run.parquet"), "--character", "0",
    ),
    "check": lambda: ("check", _map()),
    "demo": lambda: ("demo", "-o", "/does/not/exist"),
    "diff": lambda: ("diff", str(files() / "run.parquet"), str(files() / "run.parquet")),
    "edit": lambda: ("edit", _roadmap(), "add-node 1,1,1", "--near", "1,1,1"),
    "export": lambda: ("export", str(files() / "run.parquet"), "-o", "out.csv"),
    "fit": lambda: ("fit", "social_force", "v0=1,1"),
    "gallery": lambda: ("gallery",),
    "path": lambda: ("path", _map(), *PATH),
    "path --alternatives": lambda: (
        "path", _map(), *PATH, "--alternatives", "2", "--longer", "1", "--different", "0.5"
    ),
    "path --follow cmm": lambda: ("path", _map(), *PATH, "--follow", "cmm"),
    "path --follow miran": lambda: ("path", _map(), *PATH, "--follow", "miran"),
    "path in space": lambda: ("path", _roadmap(), "--start", "1,1,1", "--goal", "7,5,3"),
    "replay-hash": lambda: ("replay-hash", str(files() / "run.parquet")),
    "report": lambda: ("report", "/does/not/exist"),
    "reproduce": lambda: ("reproduce", "nothing"),
    "route": lambda: ("route", _map(), *PATH),
    "simulate": lambda: ("simulate", str(files() / "scenario.toml"), "--seconds", "1"),
    "study": lambda: ("study", str(files() / "study.toml"), "--check"),
    "studio": lambda: ("studio", "/does/not/exist.geojson"),
    "validate": lambda: ("validate", "nothing"),
    "warmup": lambda: ("warmup", "--nothing"),
}  # fmt: skip

NUMBERS = {
    "nan": "nan",
    "inf": "inf",
    "minus one": "-1",
    "zero": "0",
    "1e300": "1e300",
    "1e-300": "1e-300",
    "1e400": "1e400",
    "700 digits": "9" * 700,
    "half": "0.5",
    "2**63": str(2**63),
    "text": "wide",
    "nothing": "",
    "pair": "1,2",
    "far": "1e300,1e300",
    "nan pair": "nan,1",
    "three": "1,2,3",
    "hexadecimal": "0x10",
    "named": "mud=1e300",
}

FEW_NUMBERS = ("nan", "minus one", "1e300", "700 digits")
"""Those of the fast suite."""
