"""Recordings: where everybody was, frame by frame, and the files of other programs.

Crowd, file --> Recording --> Parquet, SQLite (JuPedSim), tables (PedPy)
"""

from __future__ import annotations

from footway.recording.recording import Recording

__all__ = ["Recording"]
