"""How a character walks: numbers as the kernels take them."""

from __future__ import annotations

from typing import NamedTuple


class Settings(NamedTuple):
    """One character's body and habits; units as in `cmm`."""

    radius: float  # m
    speed: float  # m/s, greatest
    step: float  # s, between samples
    turn_rate: float  # rad/s, greatest
    shortcut: float  # dt of alpha(x, dt), share of the backbone
    noise: float  # c_rand
    wavelength: float  # m, of the noise
    seed: int  # of the noise
    lane: float  # k of F_perp, positive to the left
    corner: float  # positive: tight corners
    repulsion: float  # k of F_i, m
