"""Compiled kernels: what they are made from, where they are kept, and how Numba loads them."""
