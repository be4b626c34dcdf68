"""Compressed rows are the rows of `jsonl`, for readers of every kind."""

from __future__ import annotations

from pathlib import Path

import zstandard

from crawler.codec import decode
from crawler.dataset.choice import choose_exporter
from crawler.dataset.exporters.jsonl import PLUGIN as JSONL
from crawler.dataset.exporters.jsonl_zst import PLUGIN
from crawler.dataset.interface import RowContext
from crawler.dataset.replacement import can_replace
from crawler.dataset.views.kernels import PLUGIN as KERNELS
from crawler.model import KernelRecord

RECORDS = decode(
    (Path(__file__).parents[3] / "fixtures/records.json").read_bytes(),
    tuple[KernelRecord, ...],
)


def test_the_rows_are_those_of_jsonl(tmp_path: Path) -> None:
    plain, compressed = tmp_path / "k.jsonl", tmp_path / "k.jsonl.zst"
    assert choose_exporter("", compressed) is PLUGIN
    assert choose_exporter("", plain) is JSONL
    JSONL.write(KERNELS, RECORDS, plain, RowContext())
    PLUGIN.write(KERNELS, RECORDS, compressed, RowContext())

    for across_frames in (False, True):
        with (
            compressed.open("rb") as file,
            zstandard.ZstdDecompressor().stream_reader(
                file, read_across_frames=across_frames
            ) as stream,
        ):
            assert stream.read() == plain.read_bytes()


def test_what_another_program_compressed_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "k.jsonl.zst"
    path.write_bytes(zstandard.compress(b'{"schema":"kernelset.kernel/1"}'))
    assert not can_replace(path)
    PLUGIN.write(KERNELS, RECORDS, path, RowContext())
    assert can_replace(path)
