"""A binary heap in two parallel arrays: keys and nodes."""

from __future__ import annotations

from footway._numba.jit import inner


@inner
def push(key, node, size, keys, queue):
    """Add an entry; return the new size."""
    k = size
    while k > 0 and keys[(k - 1) // 2] > key:
        keys[k], queue[k] = keys[(k - 1) // 2], queue[(k - 1) // 2]
        k = (k - 1) // 2
    keys[k], queue[k] = key, node
    return size + 1


@inner
def pop(size, keys, queue):
    """Remove the smallest entry, keys[0] and queue[0]; return the new size."""
    size -= 1
    key, node = keys[size], queue[size]
    k, child = 0, 1
    while child < size:
        # Which child is smaller cannot be predicted: no branch. keys[size] still exists: it is key.
        child += keys[child + 1] < keys[child]
        if keys[child] >= key:
            break
        keys[k], queue[k] = keys[child], queue[child]
        k = child
        child = 2 * k + 1
    keys[k], queue[k] = key, node
    return size
