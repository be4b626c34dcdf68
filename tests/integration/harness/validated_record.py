"""Records of real kernels, each run on the CPU just now."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from crawler import codec
from crawler.dataset.interface import RowContext
from crawler.dataset.texts.depth import Depth
from crawler.model import KernelRecord
from crawler.validate.cpu.validation import validate_on_cpu

_RECORDS = codec.decode(
    (Path(__file__).parents[2] / "fixtures/records.json").read_bytes(),
    tuple[KernelRecord, ...],
)


def validate_record(
    kernel_name: str, depth: Depth = Depth.UNIT
) -> tuple[KernelRecord, RowContext]:
    """Run the kernel of a record, and return the record with its run, and what rows need of it."""
    record = next(record for record in _RECORDS if record.kernel.name == kernel_name)
    validation = validate_on_cpu(record.kernel)
    assert validation.suite is not None, validation.run.pass_exe
    digest = validation.blobs.put(codec.encode(validation.suite))
    validated_record = replace(
        record,
        runs=(replace(validation.run, suite=digest),),
        suites=((digest, validation.suite),),
    )
    return validated_record, RowContext(depth=depth, read_content=validation.blobs.get)
