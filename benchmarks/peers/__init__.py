"""Peers from PyPI, each behind the same two calls: see `navigator`."""
