"""A loading process that misbehaves as the start of the file name says.

A file of any other name is loaded as usual.
"""

import ctypes
import json
import os
import sys
import zipfile
from pathlib import Path

import numpy as np

from footway.studio.files import loading_process
from footway.writing import whole_file

COMMAND = (sys.executable, "-P", "-m", "tests.unit.studio.hostile_process")


def loop(_):
    """Run for ever, in Python."""
    while True:
        pass


def hold(_):
    """Wait for ever in native code, with the GIL held: no other thread of the process runs."""
    ctypes.PyDLL(None).pause()


def compile_for_ever(_):
    """Run for ever, in code that Numba has compiled."""
    import numba

    @numba.njit
    def endless(x):
        while x > 0:
            x = x % 7 + 1
        return x

    endless(3)


def crash(_):
    ctypes.string_at(0)


def abort(_):
    os.abort()


def leave(_):
    os._exit(7)


def fill(_):
    """Allocate memory without end."""
    taken = [np.ones(10_000_000)]
    while True:
        taken.append(taken[0].copy())


def fault(_):
    raise ZeroDivisionError("a bug\nof ours")


def deep(_):
    loop_of_calls()


def loop_of_calls():
    loop_of_calls()


def write(order):
    """Write a file without end."""
    with Path(order["folder"], "document.npz").open("wb") as out:
        while True:
            out.write(bytes(10_000_000))


def lie(_):
    """Report success without writing a document."""


def bomb(order):
    """Write a zip bomb."""
    folder = Path(order["folder"])
    with zipfile.ZipFile(folder / "document.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.npy", bytes(50_000_000))


def pickled(order):
    """Write a pickle that runs code when it is read."""
    made = np.array([Trap(Path(order["file"]).parent / "sprung")], object)
    with Path(order["folder"], "document.npz").open("wb") as out:
        np.savez(out, header=made)


class Trap:
    def __init__(self, file):
        self.file = file

    def __reduce__(self):
        return Path.touch, (self.file,)


def babble(_):
    """Send invalid messages."""
    talk(b"[" * 100_000 + b"\n")


def flood(_):
    """Send messages without end."""
    while True:
        talk(json.dumps({"compiling": True}).encode() + b"\n")


def stall(_):
    """Report compilation of kernels for ever."""
    import time

    while True:
        talk(json.dumps({"compiling": True}).encode() + b"\n")
        time.sleep(0.1)


def talk(line):
    os.write(int(os.environ["FOOTWAY_TEST_OUT"]), line)


def load(order):
    name = Path(order["display_name"] or order["file"]).stem.split(".")[0]
    with whole_file(Path(order["file"]).with_suffix(".pid")) as file:
        file.write_text(str(os.getpid()), encoding="ascii")
    worst = globals().get(name)
    if worst is None:
        usual(order)
    else:
        worst(order)


usual, loading_process.load = loading_process.load, load
loading_process._warm_up = lambda: None

if __name__ == "__main__":
    os.environ["FOOTWAY_TEST_OUT"] = str(os.dup(1))
    loading_process.main()
