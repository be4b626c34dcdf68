from __future__ import annotations

from pathlib import Path

import pytest

from crawler.checkout import source_tree as trees
from crawler.checkout.source_tree import is_vendored, open_tree
from crawler.errors import NotFound, TooLarge


def test_files_are_listed_relative_and_sorted_without_version_control(
    tmp_path: Path,
) -> None:
    for name in ("b.cu", "a/é x.cu", ".git/config", "node_modules/m.js"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    assert open_tree(tmp_path).files == ("a/é x.cu", "b.cu")


def test_a_link_that_leaves_the_tree_is_no_file_of_it(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("password")
    root = tmp_path / "root"
    root.mkdir()
    (root / "real.h").write_text("int x;")
    (root / "out.h").symlink_to(tmp_path / "secret")
    (root / "etc").symlink_to("/etc")
    (root / "loop").symlink_to(root)
    (root / "circle.h").symlink_to("circle.h")
    (root / "alias.h").symlink_to("real.h")
    assert open_tree(root).files == ("alias.h", "real.h")


def test_a_missing_folder_and_too_many_files_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(NotFound) as missing:
        open_tree(tmp_path / "nothing")
    assert missing.value.code == "no-folder"
    monkeypatch.setattr(trees, "MAX_FILES", 2)
    for number in range(3):
        (tmp_path / str(number)).touch()
    with pytest.raises(TooLarge, match="more than 2 files"):
        open_tree(tmp_path)


def test_reading_never_fails(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_bytes(b"\xff\xfeint x;")
    tree = open_tree(tmp_path)
    assert tree.read_text("a.h").endswith("int x;")
    assert tree.read_bytes("gone.h") == b""
    assert tree.read_bytes("nul\0.h") == b""


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("third_party/cub/a.cuh", True),
        ("src/3rdparty/a.h", True),
        ("src/vendor.cu", False),
        ("a.cu", False),
    ],
)
def test_vendored_is_a_matter_of_the_folders(path: str, expected: bool) -> None:
    assert is_vendored(path) is expected
