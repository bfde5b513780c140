"""Roadmaps of samples on the Voronoi diagram (Voronoi-PRM), and circular blends of roadmaps."""
