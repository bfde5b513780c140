"""Values that make no sense as arguments, or only seldom, by name."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

FEW = {
    "none": None,
    "text": "0.2",
    "minus one": -1,
    "nan": math.nan,
    "inf": math.inf,
    "1e300": 1e300,
    "1e-300": 1e-300,
    "2**2000": 2**2000,
    "empty": (),
    "object": object(),
    "ragged": [[(0, 0), (1, 0)], [(1, 1)]],
}
"""Those that found most mistakes: the fast suite tries them."""

VALUES = FEW | {
    "no text": "",
    "zero": 0,
    "zero text": "\0",
    "lone surrogate": "\ud800",
    "long name": "x" * 5000,
    "folder": Path("/"),
    "bytes": b"0.2",
    "true": True,
    "half": 0.5,
    "-inf": -math.inf,
    "1e9": 1e9,
    "1e18": 1e18,
    "2**31": 2**31,
    "2**63": 2**63,
    "-2**63": -(2**63),
    "10**5000": 10**5000,
    "complex": 1j,
    "empty list": [],
    "empty map": {},
    "map": {"mud": math.nan},
    "map of other keys": {1: 2},
    "set": {1, 2},
    "function": lambda *_arguments: None,
    "module": math,
    "one number": [1],
    "two": (1, 1),
    "two texts": ("a", "b"),
    "two of them huge": (2**2000, 1),
    "two of them nan": (math.nan, 1.0),
    "two of them far": (1e300, -1e300),
    "three": (1, 2, 3),
    "four": (1, 2, 3, 4),
    "pairs": [(1, 1), (2, 2)],
    "pairs with nan": [(1, math.nan), (2, 2)],
    "pairs, huge": [(1, 2**2000), (2, 2)],
    "pairs, far": [(1e300, 1), (2, 2)],
    "ring": [(2, 2), (4, 2), (4, 4)],
    "polygon with a hole": [[[(0, 0), (9, 0), (9, 9)], [(1, 1), (2, 1), (2, 2)]]],
    "flat array": np.zeros(3),
    "array of no rows": np.zeros((0, 2)),
    "array (3, 3)": np.ones((3, 3)),
    "array (2, 2, 2)": np.zeros((2, 2, 2)),
    "array of text": np.array(["a", "b"]),
    "array of objects": np.array([object(), None]),
    "array of whole numbers": np.array([[1, 1], [2, 2]], np.uint8),
    "array of float32": np.ones((2, 2), np.float32),
    "complex array": np.ones((2, 2), complex),
    "flags": np.array([True, False]),
    "array scalar": np.array(0.5),
    "float128": np.longdouble(1) * 2,
    "dates": np.array(["2020-01-01"], "M8[D]"),
    "infinite array": np.full((2, 2), np.inf),
}
