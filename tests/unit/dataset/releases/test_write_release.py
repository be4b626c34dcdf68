"""A release is the same however often it was interrupted, and a delta on top of the earlier one
gives the later one.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pyarrow import parquet

from crawler.codec import decode
from crawler.dataset.interface import RowContext
from crawler.dataset.releases.earlier_release import open_earlier_release
from crawler.dataset.releases.release_files import ReleaseManifest, read_manifest
from crawler.dataset.releases.write_release import ReleasePlan, write_release
from crawler.dataset.replacement import can_replace
from crawler.dataset.rows.row import compute_place_id
from crawler.dataset.views.instantiations import PLUGIN as INSTANTIATIONS
from crawler.dataset.views.kernels import PLUGIN as KERNELS
from crawler.errors import Misconfigured
from crawler.model import KernelRecord

FIXTURE = Path(__file__).parents[3] / "fixtures/records.json"
RECORDS = decode(FIXTURE.read_bytes(), tuple[KernelRecord, ...])
KILLED = """
import os, signal, sys
from pathlib import Path
from tests.unit.dataset.releases.test_write_release import make_many, write

def dying(records, count):
    for number, record in enumerate(records):
        if number == count:
            os.kill(os.getpid(), signal.SIGKILL)
        yield record

write(Path(sys.argv[1]), dying(make_many(60), int(sys.argv[2])))
"""


def make_many(count: int) -> Iterator[KernelRecord]:
    """Yield records at places of their own."""
    for number in range(count):
        record = RECORDS[number % len(RECORDS)]
        span = replace(record.kernel.span, path=f"{number:05d}.cu")
        kernel = replace(record.kernel, span=span)
        provenance = replace(record.provenance, span=span)
        yield replace(record, kernel=kernel, provenance=provenance)


def write(
    destination: Path,
    records: Iterable[KernelRecord],
    name: str = "first",
    since: Path | None = None,
    fingerprint: str = "same",
    reasons: dict[str, str] | None = None,
) -> ReleaseManifest:
    plan = ReleasePlan(
        name=name,
        fingerprint=fingerprint,
        rows_per_shard=10,
        find_reason=lambda kernel: (reasons or {}).get(kernel.path, ""),
    )
    if since is None:
        return write_release(KERNELS, records, destination, RowContext(), plan)
    with open_earlier_release(since, KERNELS.schema_name) as earlier:
        plan = replace(plan, earlier=earlier)
        return write_release(KERNELS, records, destination, RowContext(), plan)


def content(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def rows_of(folder: Path) -> dict[str, str]:
    """Return the id of each row with all that it holds."""
    rows = parquet.read_table(folder / "data").to_pylist()
    return {row["id"]: json.dumps(row, default=str) for row in rows}


def tombstones_of(folder: Path) -> dict[str, str]:
    lines = (folder / "tombstones.jsonl").read_text().splitlines()
    return {row["kernel"]: row["reason"] for row in map(json.loads, lines)}


def test_rows_are_in_shards_and_every_file_has_its_digest(tmp_path: Path) -> None:
    manifest = write(tmp_path / "out", make_many(25))
    shards = sorted(path.name for path in (tmp_path / "out/data").iterdir())
    assert shards == ["00000.parquet", "00001.parquet", "00002.parquet"]
    assert (manifest.rows, manifest.kernels, manifest.tombstones) == (25, 25, 0)
    assert {file.path: file.sha256 for file in manifest.files} == {
        path: digest
        for path, digest in content(tmp_path / "out").items()
        if path != "kernelset.json"
    }
    assert read_manifest(tmp_path / "out") == manifest
    assert can_replace(tmp_path / "out")


@pytest.mark.parametrize("kills", [(3,), (15, 27), (59,), (25, 25, 48)])
def test_a_release_that_was_killed_goes_on_and_has_the_same_bytes(
    tmp_path: Path, kills: tuple[int, ...]
) -> None:
    for count in kills:
        words = [sys.executable, "-c", KILLED, str(tmp_path / "out"), str(count)]
        ended = subprocess.run(
            words, cwd=Path(__file__).parents[4], env=dict(os.environ), check=False
        )
        assert ended.returncode == -signal.SIGKILL
        assert not (tmp_path / "out").exists()

    part = tmp_path / ".out.kernelset-part"
    shards = {
        path.name: (path.stat().st_mtime_ns, path.stat().st_ino)
        for path in (part / "data").glob("*.parquet")
    }
    whole = [name for name in sorted(shards) if int(name[:5]) < max(kills) // 10]
    write(tmp_path / "out", make_many(60))
    write(tmp_path / "whole", make_many(60))
    assert content(tmp_path / "out") == content(tmp_path / "whole")
    for name in whole:
        status = (tmp_path / "out/data" / name).stat()
        assert (status.st_mtime_ns, status.st_ino) == shards[name], "it was made again"
    assert not part.exists()


def test_an_index_that_changed_meanwhile_begins_again(tmp_path: Path) -> None:
    def failing() -> Iterator[KernelRecord]:
        yield from make_many(30)
        raise OSError("the database went away")

    with pytest.raises(OSError, match="went away"):
        write(tmp_path / "out", failing(), fingerprint="before")
    changed = list(make_many(40))[5:]
    write(tmp_path / "out", changed, fingerprint="after")
    write(tmp_path / "whole", changed, fingerprint="after")
    assert content(tmp_path / "out") == content(tmp_path / "whole")


def test_what_lies_in_an_unfinished_release_is_not_taken_for_its_own(
    tmp_path: Path,
) -> None:
    part = tmp_path / ".out.kernelset-part"
    (part / "data").mkdir(parents=True)
    (part / "data/00000.parquet").write_text("nonsense")
    (part / "notes").write_text("nonsense")
    (part / ".journal.json").write_text('{"fingerprint": "same", "records": 9}')
    (part / "kernels.jsonl").write_text("nonsense")
    write(tmp_path / "out", make_many(12), fingerprint="other")
    write(tmp_path / "whole", make_many(12), fingerprint="other")
    assert content(tmp_path / "out") == content(tmp_path / "whole")


def test_a_delta_on_top_of_the_earlier_release_is_the_later_one(
    tmp_path: Path,
) -> None:
    before = list(make_many(30))
    changed = replace(before[4], redactions=(("email", 1),))
    after = [*before[:4], changed, *before[7:], *list(make_many(33))[30:]]
    write(tmp_path / "first", before)
    reasons = {"00005.cu": "opted-out"}
    delta = write(tmp_path / "delta", after, "second", tmp_path / "first", "x", reasons)
    write(tmp_path / "whole", after, "second")

    assert (delta.since, delta.rows, delta.kernels) == ("first", 4, 31)
    ids = [compute_place_id(record) for record in before]
    assert tombstones_of(tmp_path / "delta") == {
        ids[4]: "changed",
        ids[5]: "opted-out",
        ids[6]: "left-out",
    }
    rows = rows_of(tmp_path / "first")
    for kernel in tombstones_of(tmp_path / "delta"):
        del rows[kernel]
    rows |= rows_of(tmp_path / "delta")
    assert rows == rows_of(tmp_path / "whole")
    kernels = (tmp_path / "delta/kernels.jsonl").read_bytes()
    assert kernels == (tmp_path / "whole/kernels.jsonl").read_bytes()


def test_a_delta_to_a_delta_needs_only_the_last_one(tmp_path: Path) -> None:
    write(tmp_path / "first", make_many(20))
    write(tmp_path / "second", make_many(21), "second", tmp_path / "first")
    third = write(tmp_path / "third", make_many(21), "third", tmp_path / "second")
    assert (third.rows, third.tombstones, third.kernels) == (0, 0, 21)


def test_a_delta_that_was_interrupted_is_the_same(tmp_path: Path) -> None:
    def failing(records: list[KernelRecord]) -> Iterator[KernelRecord]:
        yield from records[:35]
        raise OSError("the database went away")

    before = list(make_many(40))
    after = [replace(record, redactions=(("email", 2),)) for record in before[2:]]
    write(tmp_path / "first", before)
    with pytest.raises(OSError, match="went away"):
        write(tmp_path / "delta", failing(after), "second", tmp_path / "first")
    write(tmp_path / "delta", after, "second", tmp_path / "first")
    write(tmp_path / "whole", after, "second", tmp_path / "first")
    assert content(tmp_path / "delta") == content(tmp_path / "whole")


@pytest.mark.parametrize("broken", ["kernels.jsonl", "kernelset.json"])
def test_a_release_that_is_not_whole_is_refused(tmp_path: Path, broken: str) -> None:
    write(tmp_path / "first", make_many(5))
    (tmp_path / "first" / broken).write_text("{}\n")
    with pytest.raises(Misconfigured) as raised:
        write(tmp_path / "second", make_many(5), "second", tmp_path / "first")
    assert raised.value.code == "bad-release"


def test_a_release_of_another_view_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "first", make_many(5))
    with (
        pytest.raises(Misconfigured, match=r"kernelset\.kernel/") as raised,
        open_earlier_release(tmp_path / "first", INSTANTIATIONS.schema_name),
    ):
        pass
    assert raised.value.code == "bad-release"
