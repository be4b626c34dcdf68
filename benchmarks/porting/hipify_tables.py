"""Compare our port rules with the mapping tables of torch hipify.

python -m benchmarks hipify_tables [--python PYTHON] [--results FILE]

PYTHON is one that has torch (default: the first `python3` on PATH that has). Nothing of the
tables is kept: the report
has counts by what a name is for, and of those that device code and launches use each that
differs.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import report
from benchmarks.arguments import add_results, create_parser
from crawler.port.port import port_text
from crawler.port.tables import RENAMED_HEADERS, RENAMED_NAMES

_SCRIPT = """
import json
from torch.utils.hipify.cuda_to_hip_mappings import CUDA_TO_HIP_MAPPINGS as tables
pairs = [[a, b] for table in tables for a, b in table.items() if isinstance(b, str)]
print("tables " + json.dumps(pairs))
"""
_NONE = "No Python with torch is here, so nothing was compared: give one by `--python`."
_KINDS = {
    "graphics on Windows and other systems": (
        r"\w*(D3D|EGL|VDPAU|Vdpau|GL[A-Z]\w|GRAPHICS|Graphics)"
    ),
    "device code": (
        r"(curand(?!Gen|_)|curand_(?=[a-z])|CURAND_|__|cub::|thrust::|"
        r"cu\w*Complex|cuC(?!tx)|make_|CUDART_)"
    ),
    "launches and runtime": r"cuda",
    "driver and its enumerators": r"(cu[A-Z]|CU_|CUDA_|CU[a-z])",
    "libraries on the host": (
        r"(cublas|cusparse|cusolver|cufft|curand|cudnn|"
        r"nvrtc|nvtx|nccl|nvml|nvshmem|magma)"
    ),
    "torch and caffe2 themselves": (
        r"(c10|at::|ATen|THC|caffe2|gloo|operators|math/|sgd|"
        r"tensorpipe|AT_|USE_|.*[gG]pu)"
    ),
}
_NOT_IN_HIP = "their own table writes a name that no HIP has"
EXPLANATIONS = {
    "hipErrorMemoryAllocation": "HIP calls it hipErrorOutOfMemory; the other is its old name",
    "hipStreamCreate__": "a slip of theirs",
    "hipblasCergc_v2": "a slip of theirs",
    "hipblasZcsal_v2": "a slip of theirs",
    "hipGetErrorName": "the driver's takes a result and a pointer: hipDrvGetErrorName",
    "hipMemsetAsync": "sets bytes; hipMemsetD32Async sets words",
    "hipDeviceAttributeCanUseStreamWaitValue": "a reserved number, not that attribute",
    "hiprandDistribution_st": "of the host's interface, which device code does not name",
    "hiprandDistribution_t": "of the host's interface, which device code does not name",
    "hipArray *": "two tokens; hipArray_t is the same type in one",
    "hipFuncAttribute_t": "no type of HIP's; hipFunction_attribute is",
    "hipSurfaceObject": "no type of HIP's; hipSurfaceObject_t is",
    "hiprtcGetBitcode": "bitcode only with -fgpu-rdc; hiprtcGetCode gives what is loaded",
    "hiprtcGetBitcodeSize": (
        "bitcode only with -fgpu-rdc; hiprtcGetCodeSize goes with hiprtcGetCode"
    ),
    "hiprandStateMtgp32_t": "the same type by another name",
    "hiprandState_t": "the same type by another name",
}
"""Why we write something else where they write this."""


@dataclass(frozen=True, slots=True)
class ComparedName:
    """A row of their tables and what we make of it."""

    cuda: str
    theirs: str
    ours: str

    @property
    def kind(self) -> str:
        if _is_header(self.cuda):
            return (
                "headers of torch"
                if re.match(_KINDS["torch and caffe2 themselves"], self.cuda)
                else "headers"
            )
        return next(
            (kind for kind, pattern in _KINDS.items() if re.match(pattern, self.cuda)),
            "others",
        )

    @property
    def outcome(self) -> str:
        if self.ours == self.theirs:
            return "same"
        return "lacking" if self.ours == self.cuda else "other"


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    python = arguments.python or _find_python_with_torch()
    rows = list(_load_tables(python)) if python else []
    lines = format_report([compare_name(*row) for row in rows]) if rows else [_NONE]
    print("\n".join(lines))
    if arguments.results:
        report.write_report(
            arguments.results,
            "Our rules against torch's",
            ["python", "-m", "benchmarks", "hipify_tables"],
            lines,
        )
    return 0


def compare_name(cuda: str, theirs: str) -> ComparedName:
    """Port what stands on the left of a row, as it would stand in a source."""
    if _is_header(cuda):
        text = port_text(f"#include <{cuda}>\n")[0]
        return ComparedName(cuda, theirs, re.findall(r"#include <(.*)>", text)[-1])
    return ComparedName(
        cuda, theirs, port_text(f"{cuda} ")[0].rpartition("\n")[2].strip()
    )


def format_report(rows: Sequence[ComparedName]) -> list[str]:
    """Return counts by what names are for, and below it what differs in device code and
    launches.
    """
    counted = Counter((row.kind, row.outcome) for row in rows)
    kinds = list(
        dict.fromkeys(
            kind for kind, _ in sorted(counted, key=lambda pair: -counted[pair])
        )
    )
    table = [
        [kind, *(counted[kind, outcome] for outcome in ("same", "other", "lacking"))]
        for kind in kinds
    ]
    ours = len(RENAMED_NAMES) + len(RENAMED_HEADERS)
    return [
        (
            f"{len(rows)} rows of theirs; ours are {ours} names and headers, and families of "
            "names by how they begin."
        ),
        "",
        *report.format_table(
            ["what for", "same", "we write another", "we have no rule"], table
        ),
        "",
        "## Where we write another name",
        "",
        *(
            f"- `{row.cuda}`: theirs `{row.theirs}`, ours `{row.ours}`: {_explain_difference(row)}"
            for row in rows
            if row.outcome == "other"
        ),
        "",
        "## Device code and launches for which we have no rule",
        "",
        *_format_lacking(row for row in rows if row.outcome == "lacking"),
    ]


def _explain_difference(row: ComparedName) -> str:
    if row.theirs in EXPLANATIONS:
        return EXPLANATIONS[row.theirs]
    if row.theirs.startswith("hipDeviceAttributeMaxTexture3D"):
        return _NOT_IN_HIP
    return (
        "the type's own name and its `_t` are the same"
        if row.theirs.removesuffix("_t") == row.ours
        else "see the table"
    )


def _format_lacking(rows: Iterable[ComparedName]) -> Iterator[str]:
    listed = [
        row
        for row in rows
        if row.kind in ("device code", "launches and runtime", "headers")
    ]
    for kind in ("device code", "launches and runtime", "headers"):
        own = sorted(row.cuda for row in listed if row.kind == kind)
        yield (
            f"- {kind}: {len(own)}: "
            f"{', '.join(f'`{name}`' for name in own[:60])}{', …' if len(own) > 60 else ''}"
        )


def _is_header(text: str) -> bool:
    return bool(re.fullmatch(r"[\w/.]+\.(h|hpp|cuh)", text))


def _find_python_with_torch() -> Path | None:
    installed = [
        Path(path) for name in ("python3", "python") if (path := shutil.which(name))
    ]
    return next(
        (
            path
            for path in [Path(sys.executable), *installed]
            if _run_script(path, "import torch")
        ),
        None,
    )


def _run_script(python: Path, script: str) -> str:
    ended = subprocess.run(
        [python, "-W", "ignore", "-c", f"{script}\nprint('.')"],
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.stdout if ended.returncode == 0 else ""


def _load_tables(python: Path) -> Iterator[tuple[str, str]]:
    tables_line = next(
        (
            line
            for line in _run_script(python, _SCRIPT).splitlines()
            if line.startswith("tables ")
        ),
        "tables []",
    )
    yield from (
        (cuda.strip(), theirs.strip())
        for cuda, theirs in json.loads(tables_line.removeprefix("tables "))
    )


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = create_parser("hipify_tables", __doc__)
    parser.add_argument("--python", type=Path, help="a Python that has torch")
    add_results(parser)
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
