"""Two checkouts are held against each other by what they export and write."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from benchmarks.corpus.checkout import Checkout
from benchmarks.corpus.identity import (
    PACKAGES,
    KeptComparisons,
    compare_crawls,
    compare_files,
    draw_files,
    format_report,
)
from benchmarks.corpus.recall import TRUE_KERNELS

PROGRAM = """#!{python}
import json, pathlib, sys
verb, *words = sys.argv[1:]
if verb == "export":
    pathlib.Path(words[1]).write_text(json.dumps({row}) + "\\n")
elif verb == "extract":
    folder = pathlib.Path(words[words.index("--output-dir") + 1])
    folder.mkdir(parents=True)
    (folder / "kernel.cu").write_text({unit!r})
elif verb == "port":
    print("ported")
elif verb == "crawl":
    import os
    os.makedirs(os.environ["KERNELSET_HOME"], exist_ok=True)
"""


def make_checkout(
    folder: Path, row: Mapping[str, object], unit: str = "unit"
) -> Checkout:
    """Return a checkout whose program exports one row and extracts one unit."""
    programs = folder / ".venv" / "bin"
    programs.mkdir(parents=True)
    program = programs / "kernelset"
    program.write_text(PROGRAM.format(python=sys.executable, row=row, unit=unit))
    program.chmod(0o755)
    return Checkout(folder)


def test_rows_that_differ_are_named_with_their_keys(tmp_path: Path) -> None:
    before = make_checkout(tmp_path / "before", {"id": "a", "digest": "1", "name": "k"})
    after = make_checkout(tmp_path / "after", {"id": "a", "digest": "2", "name": "k"})
    comparison = compare_crawls(before, after, "mmcv")
    assert comparison.compared == 1
    assert comparison.differing == ["a: digest"]


def test_a_row_that_only_one_exports_differs(tmp_path: Path) -> None:
    before = make_checkout(tmp_path / "before", {"id": "a"})
    after = make_checkout(tmp_path / "after", {"id": "b"})
    comparison = compare_crawls(before, after, "mmcv")
    assert comparison.differing == ["a: only before", "b: only after"]


def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path) -> None:
    before = make_checkout(tmp_path / "before", {})
    after = make_checkout(tmp_path / "after", {}, "other")
    sources = [tmp_path / "a.cu", tmp_path / "b.cu"]
    for source in sources:
        source.touch()
    kept_file = tmp_path / "kept.jsonl"
    compare_files(before, after, sources[:1], KeptComparisons(kept_file))
    with kept_file.open("a") as opened:
        opened.write('{"subject": "half a li')

    # Were the first file compared again, it would not differ.
    same = make_checkout(tmp_path / "same", {})
    comparison = compare_files(before, same, sources, KeptComparisons(kept_file))
    assert comparison.compared == 2
    assert comparison.differing == ["a.cu: kernel.cu"]


def test_a_file_that_takes_too_long_is_named_and_not_compared(tmp_path: Path) -> None:
    quick = make_checkout(tmp_path / "quick", {})
    slow = make_checkout(tmp_path / "slow", {})
    program = slow.folder / ".venv" / "bin" / "kernelset"
    program.write_text("#!/bin/sh\nsleep 600\n")
    source = tmp_path / "k.cu"
    source.touch()
    comparison = compare_files(slow, quick, [source], seconds=0.2)
    assert (comparison.compared, comparison.unfinished) == (0, ["k.cu"])
    assert "- unfinished: k.cu" in format_report([comparison])


def test_times_may_differ(tmp_path: Path) -> None:
    rows = [{"id": "a", "runs": [{"seconds": number, "code": 1}]} for number in (1, 2)]
    before = make_checkout(tmp_path / "before", rows[0])
    after = make_checkout(tmp_path / "after", rows[1])
    assert compare_crawls(before, after, "mmcv").differing == []


@pytest.mark.parametrize(
    ("unit", "differing"), [("unit", []), ("other", ["k.cu: kernel.cu"])]
)
def test_files_are_compared_by_all_that_is_written(
    tmp_path: Path, unit: str, differing: list[str]
) -> None:
    before = make_checkout(tmp_path / "before", {})
    after = make_checkout(tmp_path / "after", {}, unit)
    source = tmp_path / "k.cu"
    source.touch()
    comparison = compare_files(before, after, [source])
    assert comparison.differing == differing
    assert "| 1 drawn files | 1 |" in "\n".join(format_report([comparison]))


def test_the_same_seed_draws_the_same_files(tmp_path: Path) -> None:
    for line in TRUE_KERNELS.read_text().splitlines()[1:]:
        _, package, version, path, *_ = line.split("\t")
        file = tmp_path / f"{package}-{version}" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    drawn = draw_files(tmp_path, 20, seed=3)
    assert drawn == draw_files(tmp_path, 20, seed=3)
    assert drawn != draw_files(tmp_path, 20, seed=4)
    assert not [
        path for path in drawn if str(path.relative_to(tmp_path)).startswith(PACKAGES)
    ]


def test_a_package_that_is_not_unpacked_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="unpack the package there"):
        draw_files(tmp_path, 1, seed=0)
