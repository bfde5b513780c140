"""Points, segments, circles and parabolas; no domain words."""
