"""Parameters of a walking character for the kernels."""

from __future__ import annotations

from typing import NamedTuple

LONGEST_STEP = 3600.0  # s between samples; a larger value is probably in another unit
SLACK = 1e-6  # m by which a radius may exceed the narrowest ball, due to rounding of the map


class Settings(NamedTuple):
    """Body and movement parameters of one character; see `cmm`."""

    radius: float  # m
    speed: float  # m/s, maximum
    step: float  # s between samples
    turn_rate: float  # rad/s, maximum
    shortcut: float  # dt of alpha(x, dt), fraction of the backbone
    noise: float  # c_rand
    wavelength: float  # m, of the noise
    seed: int  # of the noise
    lane: float  # k of F_perp, positive to the left
    corner: float  # positive values cut corners
    repulsion: float  # k of F_i, m
