"""Command `bundle`: carry kernels to a bare machine with a GPU, and judge the results."""

from __future__ import annotations

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
    """Find cases of each kernel on this CPU, compile it for a GPU that is elsewhere, and write
    what runs it there.

    There, with any Python since 3.8, no network and nothing installed: `python3 runner.pyz
    bundle results`. What ought
    to come out stays here. Exit code 4 where no kernel has cases and an object.
    """
    from crawler.errors import Misconfigured
    from crawler.model import Dialect
    from crawler.validate.build import require_targets
    from crawler.validate.devices.offline_bundle import (
        pack_kernel,
        write_offline_bundle,
    )
    from crawler.validate.devices.unit_runs import RunOptions, with_health_check
    from crawler.validate.values.blobs import Blobs
    from workers.local.crawl import check_targets
    from workers.local.unit_file import read_kernel

    check_targets([target])
    require_targets([target])
    if folder.exists():
        raise Misconfigured(
            f"{escape_line(str(folder))} is there already: name a new folder",
            code="folder-exists",
        )
    blobs = Blobs()
    found: dict[str, tuple[BundledUnit, OfflineUnit]] = {}
    for file in files:
        made = pack_kernel(read_kernel(file), target, blobs)
        if isinstance(made, tuple):
            found.setdefault(made[0].unit, made)
        _tell_of(file, made, as_json=as_json)
    if not found:
        return NOTHING
    wanted = RunOptions(seconds=seconds, timing={} if timed else None)
    wanted = with_health_check(
        wanted, Dialect(next(unit.dialect for unit, _ in found.values())), target, blobs
    )
    write_offline_bundle(list(found.values()), blobs, wanted, folder)
    print_note(
        escape_line(
            f"copy {folder / 'carried'} there, run `python3 runner.pyz bundle results` in it, and bring results back"
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
    """Hold what came back of each kernel against what ought to come out, as `validate --device`
    does.
    """
    from crawler.codec import to_builtins
    from crawler.validate.devices.offline_bundle import judge_offline_results

    for each in judge_offline_results(folder, results):
        if as_json:
            row = {
                "name": each.name,
                **to_builtins(each.run),
                "loaded": each.is_loaded,
                "healthy": each.is_healthy,
            }
            print_json(row)
        else:
            _print(each)
    return DONE


def _tell_of(
    file: Path, made: tuple[BundledUnit, OfflineUnit] | Verdict, *, as_json: bool
) -> None:
    if isinstance(made, tuple):
        unit, _ = made
        row = {
            "file": str(file),
            "unit": unit.unit,
            "target": unit.target,
            "cases": len(unit.suite.cases),
            "code": "",
        }
        text = f"{file}  {unit.target}  {len(unit.suite.cases)} cases"
    else:
        row = {
            "file": str(file),
            "unit": "",
            "target": "",
            "cases": 0,
            "code": made.code,
            "message": made.message,
        }
        text = f"{file}  {made.status}  {made.code}: {made.message}"
    if as_json:
        print_json(row)
    else:
        print_line(escape_line(text))


def _print(each: OfflineResult) -> None:
    verdict, timed = each.run.pass_exe, each.run.pass_perf
    said = f"{verdict.code}: {verdict.message}" if verdict.code else verdict.message
    lost = "" if each.is_healthy is not False else "  (the device was lost to it)"
    print_line(
        escape_line(
            f"{each.name}  {each.run.device}  {verdict.status}  {said}".rstrip() + lost
        )
    )
    if timed:
        print_line(escape_line(f"  time: {timed.status}  {timed.code} {timed.message}"))
