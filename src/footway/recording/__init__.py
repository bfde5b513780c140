"""Recordings of crowds, and export to the file formats of other programs.

Crowd, file --> Recording --> Parquet, SQLite (JuPedSim), tables (PedPy)
"""

from __future__ import annotations

from footway.recording.recording import Recording

__all__ = ["Recording"]
