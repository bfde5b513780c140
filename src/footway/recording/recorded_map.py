"""The map of a recording: an environment or a building in memory, or compressed text in a file."""

from __future__ import annotations

import base64
import json
import zlib
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from footway.errors import BadFile, BadInput

if TYPE_CHECKING:
    from footway.environment import Building, Environment

_MOST_TEXT: Final = 50_000_000
"""Characters of a map in a file; a city of 600 buildings has 38,000. pyarrow reads 100 million."""

_MOST_BYTES: Final = 500_000_000
"""Bytes of a map after decompression: more is a damaged or malicious file."""


class RecordedMap:
    """The environment in which a recording was made.

    Give one of the two; the other is computed when it is first needed. Text in a file is base64 of
    zlib of a line of JSON (names, areas, kinds of terrain, repairs) and the geometry as WKB: plain
    ASCII, because some readers of Parquet accept nothing else as metadata.

    Example:
        >>> from footway.environment import Environment
        >>> room = Environment.from_polygons(bounds=(0, 0, 10, 8), name="room")
        >>> RecordedMap(text=RecordedMap(room).text).environment.area
        80.0
    """

    def __init__(
        self,
        environment: Environment | None = None,
        *,
        building: Building | None = None,
        text: str = "",
    ) -> None:
        self._made: Environment | Building | None = environment or building
        if self._made is None:
            self.text = text

    @property
    def environment(self) -> Environment | None:
        """The environment; None of a building. Raises BadFile if the text is damaged."""
        return None if hasattr(self._map, "floors") else self._map

    @property
    def building(self) -> Building | None:
        """The building; None of an environment. Raises BadFile if the text is damaged."""
        return self._map if hasattr(self._map, "floors") else None

    @cached_property
    def _map(self) -> Any:
        if self._made is not None:
            return self._made
        from footway.formats.environment_arrays import from_arrays  # loads Shapely
        from footway.formats.geojson import building_of_features

        try:
            unpacking = zlib.decompressobj()
            raw = unpacking.decompress(base64.b64decode(self.text, validate=True), _MOST_BYTES)
            head, found, shapes = raw.partition(b"\n")
            facts = json.loads(head if unpacking.eof and found else b"")
            if "building" in facts:
                return building_of_features(facts["building"], str(facts["name"]))
            ends = np.array(facts["shape_ends"], np.int64)
            geometry: dict[str, Any] = {
                "shapes": np.frombuffer(shapes, np.uint8),
                "shape_ends": ends,
            }
            return from_arrays(facts, geometry)
        except (ValueError, LookupError, TypeError, zlib.error, BadInput) as error:
            raise BadFile(
                f"the map in the recording is damaged ({error}); give the map instead"
            ) from None

    @cached_property
    def text(self) -> str:
        """The environment or building as text for a file; empty if it is too large for one."""
        from footway.formats.environment_arrays import to_arrays  # loads Shapely
        from footway.formats.geojson import building_features

        if self.building is not None:
            facts = {"building": building_features(self.building), "name": self.building.name}
            raw = json.dumps(facts).encode() + b"\n"
        else:
            facts, arrays = to_arrays(self._map)
            head = json.dumps(facts | {"shape_ends": arrays["shape_ends"].tolist()}, default=str)
            raw = head.encode() + b"\n" + arrays["shapes"].tobytes()
        packed = zlib.compress(raw, 6)
        text = base64.b64encode(packed).decode()
        return text if len(text) <= _MOST_TEXT else ""
