"""What every exporter promises: the same bytes for the same records, all of them, and nothing
half-written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from crawler.codec import decode
from crawler.dataset.interface import Exporter, RowContext, View
from crawler.dataset.replacement import can_replace
from crawler.dataset.texts.file_names import sanitize_name
from crawler.dataset.views.kernels import PLUGIN as KERNELS
from crawler.errors import Misconfigured
from crawler.model import KernelRecord
from crawler.plugins import load_plugins

RECORDS = decode(
    (Path(__file__).parents[1] / "fixtures/records.json").read_bytes(),
    tuple[KernelRecord, ...],
)
EXPORTERS = load_plugins("crawler.dataset.exporters")
CONTEXT = RowContext()


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRow:
    schema: str
    """`kernelset.files/1`."""
    folder: str
    """Plain name."""
    files: dict[str, str]
    """Name to text."""


class Files:
    """Rows that are folders, for the formats that write those alone."""

    name = "files"
    summary = "the source of a kernel"
    row_type = FileRow
    schema_name = "kernelset.files/1"

    def make_rows(self, record: KernelRecord, context: RowContext) -> Iterator[FileRow]:
        yield FileRow(
            schema=self.schema_name,
            folder=sanitize_name(record.kernel.name),
            files={"kernel.cu": record.kernel.source},
        )


VIEW_PER_FORMAT: dict[str, View] = {"folder": Files()}
"""Formats that do not take kernels."""


@pytest.fixture(params=EXPORTERS, ids=lambda exporter: exporter.name)
def exporter(request: pytest.FixtureRequest) -> Exporter:
    chosen: Exporter = request.param
    return chosen


@pytest.fixture
def view(exporter: Exporter) -> View:
    return VIEW_PER_FORMAT.get(exporter.name, KERNELS)


def content(destination: Path) -> dict[str, str]:
    files = (
        [destination]
        if destination.is_file()
        else sorted(p for p in destination.rglob("*") if p.is_file())
    )
    return {
        str(path.relative_to(destination)): hashlib.sha256(
            path.read_bytes()
        ).hexdigest()
        for path in files
    }


def failing() -> Iterator[KernelRecord]:
    yield from RECORDS[:2]
    raise OSError("the database went away")


def test_the_four_formats_are_there() -> None:
    names = [exporter.name for exporter in EXPORTERS]
    assert {"folder", "jsonl", "parquet", "tree"} <= set(names)
    assert len(set(names)) == len(names)


def test_every_record_is_counted(
    exporter: Exporter, view: View, tmp_path: Path
) -> None:
    assert exporter.write(view, RECORDS, tmp_path / "out", CONTEXT) == len(RECORDS)
    assert exporter.write(view, (), tmp_path / "none", CONTEXT) == 0


def test_the_same_records_give_the_same_bytes(
    exporter: Exporter, view: View, tmp_path: Path
) -> None:
    exporter.write(view, RECORDS, tmp_path / "one", CONTEXT)
    exporter.write(view, iter(RECORDS), tmp_path / "two", CONTEXT)
    assert content(tmp_path / "one") == content(tmp_path / "two")


def test_nothing_is_left_of_an_export_that_broke(
    exporter: Exporter, view: View, tmp_path: Path
) -> None:
    with pytest.raises(OSError, match="went away"):
        exporter.write(view, failing(), tmp_path / "out", CONTEXT)
    assert list(tmp_path.iterdir()) == []


def test_what_was_there_stays_whole_when_an_export_breaks(
    exporter: Exporter, view: View, tmp_path: Path
) -> None:
    exporter.write(view, RECORDS, tmp_path / "out", CONTEXT)
    before = content(tmp_path / "out")
    with pytest.raises(OSError, match="went away"):
        exporter.write(view, failing(), tmp_path / "out", CONTEXT)
    assert content(tmp_path / "out") == before


def test_our_own_output_is_replaced_and_nobody_elses(
    exporter: Exporter, view: View, tmp_path: Path
) -> None:
    exporter.write(view, RECORDS, tmp_path / "out", CONTEXT)
    assert can_replace(tmp_path / "out"), (
        "nothing says that it is ours: see `An exporter` in docs/extending.md"
    )
    exporter.write(view, RECORDS[:1], tmp_path / "out", CONTEXT)
    assert exporter.write(view, RECORDS[:1], tmp_path / "again", CONTEXT) == 1
    assert content(tmp_path / "out") == content(tmp_path / "again")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/mine").write_text("do not touch")
    (tmp_path / "rows.jsonl").write_text('{"mine": 1}\n')
    assert not can_replace(tmp_path / "notes")
    assert not can_replace(tmp_path / "rows.jsonl")


def test_no_file_of_others_is_taken_for_our_own(
    exporter: Exporter, view: View, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    exporter.write(view, RECORDS[:1], tmp_path / "out", CONTEXT)
    start = b"" if (tmp_path / "out").is_dir() else (tmp_path / "out").read_bytes()[:4]
    for content in (b"\0", b"\xff" * 9000, start + b"notes", start * 3000):
        path.write_bytes(content or b"mine")
        assert not can_replace(path)


def test_a_missing_folder_is_named(
    exporter: Exporter, view: View, tmp_path: Path
) -> None:
    with pytest.raises(Misconfigured, match="no-such-place"):
        exporter.write(view, RECORDS, tmp_path / "no-such-place" / "out", CONTEXT)


def test_hostile_names_stay_inside(
    exporter: Exporter, view: View, tmp_path: Path
) -> None:
    (first, *_) = RECORDS
    span = replace(first.kernel.span, path="../../../escape\n\x00.cu")
    kernel = replace(first.kernel, name="../../evil\x00name", span=span)
    repo = replace(first.provenance.repo, owner="..", name="../..", ref="../..")
    hostile = replace(
        first, kernel=kernel, provenance=replace(first.provenance, repo=repo, span=span)
    )
    inside = tmp_path / "a/b/c/d"
    inside.mkdir(parents=True)
    assert exporter.write(view, [hostile, hostile], inside / "out", CONTEXT) == 2
    assert [
        path
        for path in tmp_path.rglob("*")
        if path.is_file() and not path.is_relative_to(inside / "out")
    ] == []
