"""Hold our port of kernel units against torch's hipify in one run: how many compile for AMD, and the time a unit takes.

python -m benchmarks.hipify ROWS.jsonl --python PYTHON [--limit N] [--target ARCH] [--results FILE]

ROWS.jsonl is what `kernelset export kernels` writes; PYTHON is one that has torch. hipify gets each unit without our
prelude. What it writes is compiled twice: with HIP's own headers, and with our compatibility header before it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks import report
from crawler.codec import decode
from crawler.model import Build, Dialect, Instantiation, KernelUnit, Status
from crawler.port.port import port
from crawler.port.rules import PRELUDES
from crawler.validate.build import build

ALONE = False
_OWN = "#include <hip/hip_runtime.h>\n#include <hip/hip_fp16.h>\n#include <hip/hip_bfloat16.h>\n"
_SCRIPT = """
import sys, time
from torch.utils.hipify.hipify_python import hipify
before, after = sys.argv[1:]
began = time.perf_counter()
hipify(before, output_directory=after, includes=[after + "/*"], show_progress=False, is_pytorch_extension=True)
print("seconds", time.perf_counter() - began)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ported:
    """What each way made of the same units, in their order, and the seconds that it took."""

    ours: Sequence[KernelUnit]
    ours_seconds: float
    theirs: Sequence[str]
    """Texts without a prelude."""
    theirs_seconds: float


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _arguments(argv)
    units = list(_units(arguments.rows, arguments.limit))
    if not units:
        print(f"{arguments.rows} has no CUDA units: export some with `kernelset export kernels`", file=sys.stderr)
        return 2
    ported = _ported(units, arguments.python)
    measured = _measured(units, ported, arguments.target)
    print(json.dumps(measured, indent=1))
    if arguments.results:
        given = ["python", "-m", "benchmarks.hipify", arguments.rows.name, "--target", arguments.target]
        report.write(arguments.results, "Our port of kernel units against torch's hipify", given, reported(measured))
    return 0


def reported(measured: Mapping[str, Any]) -> list[str]:
    """Return a table of the three, and below it why ours fall short."""
    columns = ["way", f"compile for {measured['target']}", "of units", "ms a unit"]
    lines = report.table(columns, [[name, *row] for name, row in measured["ways"].items()])
    lines += ["", f"hipify takes {measured['ratio']} times as long a unit. {measured['classified']} units are"]
    lines += ["classified as unportable by our report (their compilation still counts as a failure above)."]
    return [*lines, "", f"Why ours fall short: {measured['reasons'] or 'they do not'}."]


def _measured(units: Sequence[KernelUnit], ported: Ported, target: str) -> dict[str, Any]:
    ours = [build(unit, target).build for unit in ported.ours]
    plain = [_build(unit, text, _OWN, target) for unit, text in zip(ported.ours, ported.theirs, strict=True)]
    headed = [_build(unit, text, "", target) for unit, text in zip(ported.ours, ported.theirs, strict=True)]
    count, ratio = len(units), ported.theirs_seconds / ported.ours_seconds
    our_ms, their_ms = (round(1000 * each / count, 2) for each in (ported.ours_seconds, ported.theirs_seconds))
    return {
        "target": target,
        "ways": {
            "ours": [_passes(ours), count, our_ms],
            "hipify, HIP's own headers": [_passes(plain), count, their_ms],
            "hipify, our compatibility header": [_passes(headed), count, their_ms],
        },
        "ratio": round(ratio, 1),
        "classified": sum(bool(unit.port_report and unit.port_report.blockers) for unit in ported.ours),
        "reasons": ", ".join(f"{code} {number}" for code, number in Counter(map(_code, ours)).most_common() if code),
    }


def _passes(builds: Sequence[Build]) -> int:
    return sum(each.pass_call.status is Status.PASS for each in builds)


def _code(built: Build) -> str:
    return built.pass_call.code


def _build(ours: KernelUnit, text: str, own: str, target: str) -> Build:
    """Compile what hipify wrote; units that speak torch's types get our header for them either way."""
    prelude = ours.source.partition("\n")[0]
    speaks_torch = "torch" in prelude
    source = (own if own and not speaks_torch else prelude + "\n") + text
    return build(replace(ours, source=source, port_report=None), target).build


def _ported(units: Sequence[KernelUnit], python: Path) -> Ported:
    began = time.perf_counter()
    ours = [port(unit) for unit in units]
    seconds = time.perf_counter() - began
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder, "before"), Path(folder, "after")
        before.mkdir()
        for number, unit in enumerate(units):
            (before / f"unit{number}.cu").write_text(_without_prelude(unit.source), "utf-8", "surrogateescape")
        script = [str(python), "-c", _SCRIPT, str(before), str(after)]
        ended = subprocess.run(script, capture_output=True, text=True, check=True)
        told = next(line for line in ended.stdout.splitlines() if line.startswith("seconds "))
        theirs = [_written(after, number) for number in range(len(units))]
    return Ported(ours=ours, ours_seconds=seconds, theirs=theirs, theirs_seconds=float(told.split()[1]))


def _written(folder: Path, number: int) -> str:
    """Return what hipify wrote of a unit; it leaves the file as it was where it found nothing to change."""
    renamed = folder / f"unit{number}.hip"
    written = renamed if renamed.is_file() else folder / f"unit{number}.cu"
    return written.read_text("utf-8", "surrogateescape")


def _without_prelude(source: str) -> str:
    lines = source.split("\n")
    return "\n".join(line for line in lines if not any(f"<{prelude}>" in line for prelude in PRELUDES))


def _units(rows: Path, limit: int) -> Iterator[KernelUnit]:
    seen: set[str] = set()
    with rows.open() as lines:
        for line in lines:
            unit = json.loads(line)["unit"]
            if unit and unit["dialect"] == Dialect.CUDA and unit["digest"] not in seen and len(seen) < limit:
                seen.add(unit["digest"])
                yield _unit(unit)


def _unit(row: Mapping[str, Any]) -> KernelUnit:
    return KernelUnit(
        source=row["source"],
        dialect=Dialect.CUDA,
        kernel_name=row["kernel_name"],
        instantiations=decode(json.dumps(row["instantiations"]), tuple[Instantiation, ...]),
        prelude=row["prelude"],
        digest=row["digest"],
        token_digest=row["token_digest"],
        standard=row["standard"],
    )


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--python", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=1000)
    parser.add_argument("--target", default="gfx90a")
    parser.add_argument("--results", type=Path)
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
