"""Footway studio: a local web server that shows a map, answers requests and runs a crowd.

    browser <--wire--> server --requests--> session --> document, paths, layers, crowd, replay

Only `server`, `clients` and `connections` use asyncio. All other modules are synchronous code that
can be used and tested without a server. `static` is built from the folder web.
"""

from pathlib import Path
from typing import Final

STATIC: Final = Path(__file__).parent / "static"
"""Folder of the built page."""
