"""Names of headers of CUDA's toolkits, old and new, that sources include by themselves."""

from __future__ import annotations

import pytest

from crawler import headers
from crawler.headers.overlay import read_header_aliases


@pytest.mark.parametrize(
    "name",
    [
        "sm_12_atomic_functions.h",
        "sm_20_atomic_functions.h",
        "sm_60_atomic_functions.hpp",
        "sm_35_intrinsics.h",
        "texture_fetch_functions.hpp",
        "crt/device_functions.h",
        "crt/host_config.h",
        "crt/mma.h",
        "library_types.h",
    ],
)
def test_a_header_of_the_toolkit_is_found_by_its_own_name(name: str) -> None:
    aliases = dict(read_header_aliases())
    file = aliases.get(f"cuda/{name}", f"cuda/{name}")
    assert (headers.ROOT / file).is_file()
