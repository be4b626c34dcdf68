"""View `pytorch`: a kernel as an extension of PyTorch that computes its own launch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from crawler.dataset.interface import RowContext, View
from crawler.dataset.programs.torch_module import build_torch_module
from crawler.dataset.rows.place_row import PlaceRow, to_place_row
from crawler.dataset.texts.file_names import sanitize_name
from crawler.model import KernelRecord
from crawler.validate.harness.program import to_identifier

_SCHEMA_NAME: Final = "kernelset.pytorch/1"
_ID_CHARACTERS: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class PyTorchRow:
    """An extension module of one kernel, and its test."""

    schema: str
    """Name and version of this form: `kernelset.pytorch/1`."""
    folder: str
    """Name of the folder, and of the module: `fps_kernel_cc680924`."""
    place: PlaceRow
    """Where the kernel stands."""
    unit: str
    """Digest of the unit that was narrowed to one instantiation."""
    instantiation: str
    """Its template arguments: `float, 256`; empty for a plain kernel."""
    grid: tuple[str, ...]
    """Blocks in x, y and z, as expressions over what the function takes."""
    block: tuple[str, ...]
    """Threads of a block in x, y and z, likewise."""
    shared_bytes: str
    """Bytes of dynamic shared memory of a block, as an expression."""
    cases: int
    """Cases of the test: those whose traced launches are what these expressions give."""
    files: dict[str, str]
    """Name to text: the source with the kernel, `kernel_function` and `PYBIND11_MODULE`,
    `setup.py`, which builds it, and a test for pytest, which has golden outputs.
    """


class PyTorch:
    """One row for each CUDA kernel whose launch follows from the tensors and numbers it takes."""

    name = "pytorch"
    summary = "an extension of PyTorch that computes its own launch, with its test"
    order = 74
    row_type = PyTorchRow
    schema_name = _SCHEMA_NAME

    def make_rows(
        self, record: KernelRecord, context: RowContext
    ) -> Iterator[PyTorchRow]:
        """Yield the row of a record, at every depth with its test; none without one."""
        place = to_place_row(record)
        plain_name = to_identifier(sanitize_name(record.kernel.name))
        name = f"{plain_name}_{place.kernel[:_ID_CHARACTERS]}"
        module = build_torch_module(record, context.read_content, name)
        own_unit = record.kernel.unit
        if module is None or own_unit is None:
            return

        formula = module.formula
        yield PyTorchRow(
            schema=_SCHEMA_NAME,
            folder=name,
            place=place,
            unit=own_unit.digest,
            instantiation=", ".join(module.arguments),
            grid=formula.grid,
            block=formula.block,
            shared_bytes=formula.shared_bytes,
            cases=len(formula.positions),
            files=dict(module.files),
        )


PLUGIN: Final[View] = PyTorch()
