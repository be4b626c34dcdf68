"""Command `bundle`: carry kernels to a bare machine with a GPU, and judge the results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workers.cli.exit_codes import DONE, NOTHING
from workers.cli.options import JsonOption
from workers.cli.terminal import escape_line, print_json, print_line, print_note

if TYPE_CHECKING:
    from crawler.model import Verdict
    from crawler.validate.bundle.manifest import BundledUnit
    from crawler.validate.devices.offline_bundle import OfflineResult, OfflineUnit
    from crawler.validate.values.blobs import Blobs


def write(
    folder: Annotated[
        Path,
        typer.Argument(
            help="A new folder: `carried` goes to the other machine, `kept` stays."
        ),
    ],
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...", help="Kernel units, as `validate` takes them."
        ),
    ],
    target: Annotated[str, typer.Option(help="What its GPU is: `gfx942`, `sm_90`.")],
    timed: Annotated[
        bool, typer.Option("--time", help="Measure the largest case of each, too.")
    ] = False,
    seconds: Annotated[
        float, typer.Option(min=1.0, help="For all cases of one kernel.")
    ] = 60.0,
    as_json: JsonOption = False,
) -> int:
    """Write kernels and what runs them on a GPU elsewhere.

    Finds cases of each on this CPU, and compiles it for that GPU.

    There, with any Python since 3.8, no network and nothing installed: `python3 runner.pyz
    bundle results`. What ought
    to come out stays here. Exit code 4 where no kernel has cases and an object.
    """
    from crawler.validate.values.blobs import Blobs

    _check_bundle(folder, target)

    blobs = Blobs()
    packed_kernels = _pack_kernels(files, target, blobs, as_json=as_json)
    if not packed_kernels:
        return NOTHING

    _write_bundle(
        folder, packed_kernels, target, blobs, seconds=seconds, is_timed=timed
    )
    carried = folder / "carried"
    print_note(
        escape_line(
            f"copy {carried} there, run `python3 runner.pyz bundle results` in it, "
            "and bring results back"
        )
    )
    return DONE


def judge(
    folder: Annotated[
        Path, typer.Argument(help="What `kernelset bundle write` wrote.")
    ],
    results: Annotated[
        Path, typer.Argument(help="The folder that the runner wrote there.")
    ],
    as_json: JsonOption = False,
) -> int:
    """Judge what came back from there.

    Holds the results of each kernel against what ought to come out, as `validate --device`
    does.
    """
    from crawler.codec import to_builtins
    from crawler.validate.devices.offline_bundle import judge_offline_results

    for result in judge_offline_results(folder, results):
        if as_json:
            row = {
                "name": result.name,
                **to_builtins(result.run),
                "loaded": result.is_loaded,
                "healthy": result.is_healthy,
            }
            print_json(row)
        else:
            _print_result(result)
    return DONE


def _check_bundle(folder: Path, target: str) -> None:
    from crawler.errors import Misconfigured
    from crawler.validate.build import require_targets
    from workers.local.crawl import check_targets

    check_targets([target])
    require_targets([target])
    if folder.exists():
        raise Misconfigured(
            f"{escape_line(str(folder))} is there already: name a new folder",
            code="folder-exists",
        )


def _pack_kernels(
    files: Sequence[Path], target: str, blobs: Blobs, *, as_json: bool
) -> list[tuple[BundledUnit, OfflineUnit]]:
    """Return the kernels that can be carried, each unit once, and print what became of each
    file.
    """
    from crawler.validate.devices.offline_bundle import pack_kernel
    from workers.local.unit_file import read_kernel

    kernels_by_unit: dict[str, tuple[BundledUnit, OfflineUnit]] = {}
    for file in files:
        packed = pack_kernel(read_kernel(file), target, blobs)
        if isinstance(packed, tuple):
            bundled_unit, _ = packed
            kernels_by_unit.setdefault(bundled_unit.unit, packed)
            _print_packed_unit(file, bundled_unit, as_json=as_json)
        else:
            _print_refusal(file, packed, as_json=as_json)
    return list(kernels_by_unit.values())


def _write_bundle(
    folder: Path,
    packed_kernels: list[tuple[BundledUnit, OfflineUnit]],
    target: str,
    blobs: Blobs,
    *,
    seconds: float,
    is_timed: bool,
) -> None:
    from crawler.model import Dialect
    from crawler.validate.devices.offline_bundle import write_offline_bundle
    from crawler.validate.devices.unit_runs import RunOptions, with_health_check

    # one target has one dialect, so the first unit speaks for all
    first_unit, _ = packed_kernels[0]
    options = RunOptions(seconds=seconds, timing={} if is_timed else None)
    options = with_health_check(options, Dialect(first_unit.dialect), target, blobs)
    write_offline_bundle(packed_kernels, blobs, options, folder)


def _print_packed_unit(file: Path, unit: BundledUnit, *, as_json: bool) -> None:
    case_count = len(unit.suite.cases)
    if as_json:
        print_json(
            {
                "file": str(file),
                "unit": unit.unit,
                "target": unit.target,
                "cases": case_count,
                "code": "",
            }
        )
        return
    print_line(escape_line(f"{file}  {unit.target}  {case_count} cases"))


def _print_refusal(file: Path, verdict: Verdict, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "file": str(file),
                "unit": "",
                "target": "",
                "cases": 0,
                "code": verdict.code,
                "message": verdict.message,
            }
        )
        return
    reason = f"{verdict.code}: {verdict.message}"
    print_line(escape_line(f"{file}  {verdict.status}  {reason}"))


def _print_result(result: OfflineResult) -> None:
    verdict = result.run.pass_exe
    reason = f"{verdict.code}: {verdict.message}" if verdict.code else verdict.message
    line = f"{result.name}  {result.run.device}  {verdict.status}  {reason}".rstrip()

    # it is None where nobody could look at the device afterwards
    if result.is_healthy is False:
        line += "  (the device was lost to it)"
    print_line(escape_line(line))

    timing = result.run.pass_perf
    if timing:
        print_line(
            escape_line(f"  time: {timing.status}  {timing.code} {timing.message}")
        )
