"""The names under which projects include what our few headers hold."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from crawler import headers
from crawler.headers import overlay
from crawler.headers.overlay import read_header_aliases, render_overlay
from crawler.libraries.discovery import list_hidden_files
from crawler.toolchains import discovery


def test_every_alias_means_a_header_that_there_is() -> None:
    missing = {
        target
        for _, target in read_header_aliases()
        if not (headers.ROOT / target).is_file()
    }
    assert not missing


def test_no_alias_hides_a_header_of_ours_or_stands_twice() -> None:
    names = [name for name, _ in read_header_aliases()]
    assert len(names) == len(set(names))
    assert not [name for name in names if (headers.ROOT / name).is_file()]


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("cuda/cub/block/block_reduce.cuh", "cuda/cub/cub.cuh"),
        ("common/thrust/device_vector.h", "common/thrust/thrust.h"),
        ("torch/ATen/cuda/CUDAContext.h", "torch/kernelset/torch_prelude.h"),
    ],
)
def test_a_name_in_use_means_its_library(name: str, target: str) -> None:
    assert dict(read_header_aliases())[name] == target


def test_the_overlay_is_json_with_absolute_folders() -> None:
    rendered = json.loads(render_overlay())
    assert rendered["version"] == 0
    shown_files = {
        f"{root['name']}/{file['name']}": Path(file["external-contents"])
        for root in rendered["roots"]
        for file in root["contents"]
    }
    aliases = {name for name, file in shown_files.items() if file.exists()}
    assert aliases == {str(headers.ROOT / name) for name, _ in read_header_aliases()}
    # the others hide installed libraries that we have shims of
    assert shown_files.keys() - aliases == set(list_hidden_files())


def test_an_alias_stands_in_the_folder_of_its_header() -> None:
    for name, target in read_header_aliases():
        assert name.partition("/")[0] == target.partition("/")[0]


def test_patterns_with_braces_stand_for_each_of_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    aliases = tmp_path / "names.txt"
    aliases.write_text(
        "# names of a library\n[cuda/lib.h]\nlib/{a,b}{,_x}.h\n\nplain.h\n"
        "[hip/other.h]\n{c}.h\n"
    )
    monkeypatch.setattr(overlay, "_ALIASES_FILE", aliases)
    assert list(read_header_aliases()) == [
        ("cuda/lib/a.h", "cuda/lib.h"),
        ("cuda/lib/a_x.h", "cuda/lib.h"),
        ("cuda/lib/b.h", "cuda/lib.h"),
        ("cuda/lib/b_x.h", "cuda/lib.h"),
        ("cuda/plain.h", "cuda/lib.h"),
        ("hip/c.h", "hip/other.h"),
    ]


def test_a_compiler_finds_a_header_by_its_alias(tmp_path: Path) -> None:
    clang = discovery.find_clang()
    if clang is None:
        pytest.skip("no clang here")
    (tmp_path / "overlay.json").write_text(render_overlay())
    (tmp_path / "a.cpp").write_text(
        "#if !__has_include(<cub/block/block_reduce.cuh>)\n#error no alias\n#endif\n"
        "#if __has_include(<cub/block/no_such_thing.cuh>)\n#error too many\n#endif\n"
    )
    ended = subprocess.run(
        [
            str(clang.path),
            "-E",
            "-ivfsoverlay",
            str(tmp_path / "overlay.json"),
            f"-I{headers.ROOT / 'cuda'}",
            str(tmp_path / "a.cpp"),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ended.returncode == 0, ended.stderr
