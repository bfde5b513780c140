"""Roadmaps of a lattice: GRM, RRM, RRM* and RRRM, in two and three dimensions."""
