"""Eigen is found where Debian and its own repository lay it out, with its version."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.libraries.known.eigen import PLUGIN


@pytest.mark.parametrize("place", ["", "eigen3"])
def test_its_version_is_that_of_its_macros(place: str, tmp_path: Path) -> None:
    folder = tmp_path / place
    macros = folder / "Eigen/src/Core/util/Macros.h"
    macros.parent.mkdir(parents=True)
    (folder / "unsupported").mkdir()
    (folder / "Eigen/Core").touch()
    numbers = {"WORLD": 3, "MAJOR": 4, "MINOR": 0}
    macros.write_text(
        "".join(f"#define EIGEN_{name}_VERSION {n}\n" for name, n in numbers.items())
    )
    library = PLUGIN.find_in(tmp_path)
    assert library is not None
    assert library.version == "3.4.0"
