"""Where GLM is found."""

from __future__ import annotations

from pathlib import Path

from crawler.libraries.known.glm import PLUGIN


def test_its_version_is_that_of_its_macros(tmp_path: Path) -> None:
    setup = tmp_path / "glm/detail/setup.hpp"
    setup.parent.mkdir(parents=True)
    (tmp_path / "glm/glm.hpp").touch()
    numbers = {"MAJOR": 0, "MINOR": 9, "PATCH": 9, "REVISION": 8}
    setup.write_text(
        "".join(f"#define GLM_VERSION_{name}\t{n}\n" for name, n in numbers.items())
    )
    folders = PLUGIN.find_in(tmp_path)
    assert folders is not None
    assert folders.version == "0.9.9.8"
