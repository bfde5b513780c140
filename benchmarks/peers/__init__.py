"""Peers from PyPI with a common interface: see `navigator`."""
