"""Compare our port of kernel units with hipify of torch: how many compile for AMD, and the time
a unit takes.

python -m benchmarks hipify [NAME…] --python PYTHON [--folder DIR] [--state DIR]
[--limit N] [--seed S] [--target ARCH]

PYTHON is one that has torch. Of each package N units are drawn by a seed, and those taken that
compile as CUDA. hipify
gets each without our prelude; what it writes is compiled with our compatibility header before
it, and each fourth with
HIP's own headers alone, which take long to read. Compilation is as `python -m benchmarks port`
does it. Time is that of
a processor, in the functions of each way: not of starting Python, and with nothing remembered
of the texts.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.arguments import add_folder, add_results
from benchmarks.porting.compile_outcomes import (
    CompileOutcome,
    CompileOutcomes,
    generalise_message,
    load_kernels,
    select_cuda_units,
)
from benchmarks.porting.port import draw_sample
from crawler.model import KernelUnit
from crawler.port.port import port_text, port_unit
from crawler.port.tables import RENAMED_PRELUDES

ALONE = False
_EACH = 4
_OWN = "#include <hip/hip_runtime.h>\n#include <hip/hip_fp16.h>\n#include <hip/hip_bfloat16.h>\n"
_SCRIPT = """
import sys, time
from torch.utils.hipify.hipify_python import hipify
before, after = sys.argv[1:]
began = time.process_time()
hipify(before, output_directory=after, includes=[after + "/*"], show_progress=False,
       is_pytorch_extension=True)
print("seconds", time.process_time() - began)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PortedByBoth:
    """What each way made of the same units, in their order, and the seconds that it took."""

    ours: Sequence[KernelUnit]
    ours_seconds: float
    text_seconds: float
    """Of a text to its text and report alone, without the digests that a unit is stored by."""
    theirs: Sequence[str]
    """Texts without a prelude."""
    theirs_seconds: float


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    outcomes = CompileOutcomes(arguments.state)
    units = _load_units(arguments, outcomes)
    ported = _port_both_ways(units, arguments.python)
    measured = _measure_ways(units, ported, arguments.target, outcomes)
    print(json.dumps(measured, indent=1))
    if arguments.results:
        command = [
            "python",
            "-m",
            "benchmarks",
            "hipify",
            *arguments.names,
            "--limit",
            str(arguments.limit),
        ]
        report.write_report(
            arguments.results,
            "Our port of kernel units against torch's hipify",
            command,
            format_report(measured),
        )
    return 0


def format_report(measurements: Mapping[str, Any]) -> list[str]:
    """Return a table of the ways, and below it why ours fall short."""
    columns = [
        "way",
        f"compile for {measurements['target']}",
        "of units",
        "ms of a processor a unit",
    ]
    rows = [[name, *row] for name, row in measurements["ways"].items()]
    return [
        *report.format_table(columns, rows),
        "",
        f"A unit has {measurements['characters']} characters on average. "
        f"hipify takes {measurements['ratio']} times as long as",
        f"our text and report, {measurements['unit_ratio']} times as long as "
        "a whole unit with its digests.",
        f"{measurements['classified']} units are classified as unportable "
        "by our report (their compilation still",
        "counts as a failure above).",
        "",
        f"Why ours fall short: {measurements['reasons'] or 'they do not'}.",
    ]


def _measure_ways(
    units: Sequence[KernelUnit],
    ported: PortedByBoth,
    target: str,
    outcomes: CompileOutcomes,
) -> dict[str, Any]:
    ours = [outcomes.parse_unit(unit, target) for unit in ported.ours]
    pairs = list(zip(ported.ours, ported.theirs, strict=True))
    plain = [
        outcomes.parse_unit(_make_hipify_unit(unit, text, _OWN), target)
        for unit, text in pairs[::_EACH]
    ]
    headed = [
        outcomes.parse_unit(_make_hipify_unit(unit, text, ""), target)
        for unit, text in pairs
    ]
    count = len(units)
    ms = [
        round(1000 * seconds / count, 2)
        for seconds in (ported.text_seconds, ported.ours_seconds, ported.theirs_seconds)
    ]
    return {
        "target": target,
        "characters": sum(len(unit.source) for unit in units) // count,
        "ways": {
            "ours": [_count_passes(ours), count, f"{ms[0]} ({ms[1]} with digests)"],
            "hipify, HIP's own headers": [_count_passes(plain), len(plain), ms[2]],
            "ours, the same units": [
                _count_passes(ours[::_EACH]),
                len(plain),
                f"{ms[0]} ({ms[1]} with digests)",
            ],
            "hipify, our compatibility header": [_count_passes(headed), count, ms[2]],
        },
        "ratio": round(ported.theirs_seconds / ported.text_seconds, 1),
        "unit_ratio": round(ported.theirs_seconds / ported.ours_seconds, 1),
        "classified": sum(
            bool(unit.port_report and unit.port_report.blockers) for unit in ported.ours
        ),
        "reasons": ", ".join(
            f"{kind} {n}"
            for kind, n in Counter(map(_get_failure_kind, ours)).most_common()
            if kind
        ),
    }


def _count_passes(outcomes: Sequence[CompileOutcome]) -> int:
    return sum(outcome.passed for outcome in outcomes)


def _get_failure_kind(outcome: CompileOutcome) -> str:
    return "" if outcome.passed else generalise_message(outcome.message)


def _make_hipify_unit(ours: KernelUnit, text: str, own: str) -> KernelUnit:
    """Return what hipify wrote as a unit; those that speak torch's types get our header for
    them either way.
    """
    prelude = ours.source.partition("\n")[0]
    source = (own if own and "torch" not in prelude else prelude + "\n") + text
    return replace(
        ours,
        source=source,
        digest=sha256(source.encode("utf-8", "surrogateescape")).hexdigest(),
    )


def _port_both_ways(units: Sequence[KernelUnit], python: Path) -> PortedByBoth:
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder, "before"), Path(folder, "after")
        before.mkdir()
        for number, unit in enumerate(units):
            (before / f"unit{number}.cu").write_text(
                _drop_prelude(unit.source), "utf-8", "surrogateescape"
            )
        script = [str(python), "-c", _SCRIPT, str(before), str(after)]
        ended = subprocess.run(script, capture_output=True, text=True, check=True)
        seconds_line = next(
            line for line in ended.stdout.splitlines() if line.startswith("seconds ")
        )
        theirs = [_read_hipify_text(after, number) for number in range(len(units))]
    return PortedByBoth(
        ours=[port_unit(unit) for unit in units],
        ours_seconds=_measure_seconds(lambda: [port_unit(unit) for unit in units]),
        text_seconds=_measure_seconds(
            lambda: [port_text(unit.source) for unit in units]
        ),
        theirs=theirs,
        theirs_seconds=float(seconds_line.split()[1]),
    )


def _measure_seconds(work: Callable[[], object]) -> float:
    for name, module in list(sys.modules.items()):
        if name.startswith("crawler.port"):
            for value in vars(module).values():
                if hasattr(value, "cache_clear"):
                    value.cache_clear()
    began = time.process_time()
    work()
    return time.process_time() - began


def _read_hipify_text(folder: Path, number: int) -> str:
    """Return what hipify wrote of a unit; it leaves the file as it was where it found nothing
    to change.
    """
    renamed = folder / f"unit{number}.hip"
    written = renamed if renamed.is_file() else folder / f"unit{number}.cu"
    return written.read_text("utf-8", "surrogateescape")


def _drop_prelude(source: str) -> str:
    lines = source.split("\n")
    return "\n".join(
        line
        for line in lines
        if not any(f"<{prelude}>" in line for prelude in RENAMED_PRELUDES)
    )


def _load_units(
    arguments: argparse.Namespace, outcomes: CompileOutcomes
) -> list[KernelUnit]:
    """Return the units that compile as CUDA, of each package at most so many, drawn by a seed."""
    drawn_units: dict[str, KernelUnit] = {}
    for name in arguments.names:
        units = list(
            select_cuda_units(
                load_kernels(name, arguments.folder, arguments.state)
            ).items()
        )
        drawn_units |= (
            units[index]
            for index in draw_sample(range(len(units)), arguments.limit, arguments.seed)
        )
    return [
        unit
        for unit in drawn_units.values()
        if outcomes.parse_unit(unit, "sm_80").passed
    ]


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "names", nargs="+", metavar="NAME", help="packages of the corpus"
    )
    parser.add_argument("--python", type=Path, required=True)
    add_folder(parser)
    parser.add_argument(
        "--state",
        type=Path,
        default=Path("build/port"),
        help="what was extracted and compiled before",
    )
    parser.add_argument(
        "--limit", type=int, default=24, metavar="N", help="units of each package"
    )
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--target", default="gfx90a")
    add_results(parser)
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
