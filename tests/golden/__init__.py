"""Results whose exact bits are committed: the same on every CPU, system and number of threads."""
