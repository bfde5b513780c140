#!/usr/bin/env bash
# Compute the golden hashes with ARM's Python, wheels and kernels, emulated by QEMU (about an hour).
#
#     tests/golden/on_arm.sh [SCENE ...]      needs Debian, root and the package qemu-user-static
#
# Debian's arm64 packages and the aarch64 wheels go into a temporary folder; the system stays as is.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${FOOTWAY_ARM:-$(mktemp -d)}
mkdir -p "$folder"/{lists/partial,cache,debs,sysroot,home}
command -v qemu-aarch64-static >/dev/null || apt-get install -y -qq qemu-user-static

apt() {
    apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root \
        -o Dir::State::lists="$folder/lists" -o Dir::Cache="$folder/cache" "$@"
}
version=$(/usr/bin/python3 -c 'import sys; print("{}.{}".format(*sys.version_info))') # Debian's own
if [ ! -e "$folder/sysroot/usr/bin/python$version" ]; then
    apt update
    (cd "$folder/debs" && apt download "python$version-minimal" "libpython$version-minimal" \
        "libpython$version-stdlib" libc6 libssl3 zlib1g libexpat1 libffi8 libbz2-1.0 liblzma5 \
        libsqlite3-0 libgcc-s1 libstdc++6 libuuid1 libgomp1)
    for package in "$folder"/debs/*.deb; do dpkg -x "$package" "$folder/sysroot"; done
    platforms=()
    for tag in 2_17 2_24 2_26 2_27 2_28; do platforms+=(--platform "manylinux_${tag}_aarch64"); done
    .venv/bin/python -m pip install -q --target "$folder/site" "${platforms[@]}" \
        --platform manylinux2014_aarch64 --python-version "$version" --implementation cp \
        --only-binary :all: numpy numba shapely pyvoronoi scipy pillow pyyaml pydantic pyarrow
fi

HOME="$folder/home" PYTHONPATH="$folder/site:src:." qemu-aarch64-static -L "$folder/sysroot" \
    "$folder/sysroot/usr/bin/python$version" -m tests.golden.scenes "$@" >"$folder/found.json"
.venv/bin/python - "$folder/found.json" <<'PYTHON'
import json, sys
from tests.golden.scenes import HASHES

found, committed = json.load(open(sys.argv[1])), json.loads(HASHES.read_text())
other = [name for name in found if found[name] != committed[name]]
print(f"{len(found) - len(other)} of {len(found)} hashes are equal on ARM", *other, sep="\n")
sys.exit(bool(other))
PYTHON
