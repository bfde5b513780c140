"""`footway studio` with a loading process, or a crowd, that misbehaves.

python -m tests.system.hostile_studio FILE ...             files do harm by their names
python -m tests.system.hostile_studio stuck-crowd FILE ...  and no step of a crowd ever ends
"""

import ctypes
import sys

from footway.cli import main
from footway.studio.files import loading
from tests.unit.studio import hostile_process

loading.COMMAND = hostile_process.COMMAND

if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments[0] == "stuck-crowd":
        from footway.studio.crowd_thread import CrowdThread

        def step(*_):
            """Stay in native code that has released the GIL, as a kernel does."""
            print("stuck", file=sys.stderr, flush=True)
            ctypes.CDLL(None).pause()

        CrowdThread.step = step  # not that of a crowd: crowds are also made to compile kernels
        del arguments[0]
    sys.exit(main(["studio", *arguments, "--no-browser"]))
