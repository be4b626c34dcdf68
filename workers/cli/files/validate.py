"""Command `validate`: compile a kernel unit, or run it on a CPU or GPU."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workers.cli.exit_codes import DONE
from workers.cli.files.validate_report import print_build, print_run
from workers.cli.options import JsonOption, context_settings
from workers.cli.terminal import escape_line, print_json, print_note

if TYPE_CHECKING:
    from crawler.model import Kernel, KernelUnit, Suite
    from crawler.validate.cpu.result import CpuValidation
    from crawler.validate.strength.strength_class import StrengthThresholds

UnitArgument = Annotated[
    Path,
    typer.Argument(
        help="A kernel unit: a .cu or .hip file that `extract` or `export` wrote."
    ),
]
TargetsOption = Annotated[
    str | None,
    typer.Option(
        help="Separated by commas (default: those of the file's dialect that are set)."
    ),
]
DeviceOption = Annotated[
    str,
    typer.Option(
        metavar="DEVICE",
        help="Run it instead: `cpu`, `rocm`, `cuda`, or such as `rocm:gfx942`.",
    ),
]
CompilerOption = Annotated[
    str,
    typer.Option(
        help="`clang`, `hipcc`, `nvcc`, or `ptxas` behind clang "
        "(default: the first there is)."
    ),
]
StrengthOption = Annotated[
    bool,
    typer.Option(
        "--strength",
        help="Measure what its cases tell: branches, and mutants of the kernel.",
    ),
]
TestsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Write its cases as tests that people build, into a new folder.",
    ),
]
TimeOption = Annotated[
    bool,
    typer.Option(
        "--time",
        help="On a GPU: measure its largest case, at least 50 launches of it.",
    ),
]
BaselineOption = Annotated[
    float | None,
    typer.Option(
        metavar="MILLISECONDS", help="What the measured time is held against."
    ),
]


def validate(
    context: typer.Context,
    file: UnitArgument,
    targets: TargetsOption = None,
    device: DeviceOption = "",
    compiler: CompilerOption = "",
    strength: StrengthOption = False,
    tests: TestsOption = None,
    timed: TimeOption = False,
    baseline: BaselineOption = None,
    as_json: JsonOption = False,
) -> int:
    """Compile a kernel unit for each target, or run it.

    That it does not compile, or run, is a result.

    What `extract` wrote beside it (a `.json` of the same name) tells how it is launched.
    """
    from crawler.codec import to_builtins
    from crawler.validate.build import build_unit, require_targets
    from crawler.validate.devices.device_validation import is_gpu_name
    from workers.local.unit_file import read_unit

    if device and is_gpu_name(device):
        return _run_on_gpu(
            file, device, is_timed=timed, baseline=baseline, as_json=as_json
        )
    if device:
        return _run_on_cpu(
            file,
            device,
            thresholds=context_settings(context).strength_thresholds()
            if strength
            else None,
            test_folder=tests,
            as_json=as_json,
        )

    unit = read_unit(file)
    chosen_targets = _choose_targets(context, unit, targets)
    require_targets(chosen_targets)
    for target in chosen_targets:
        build = build_unit(unit, target, compiler).build
        if as_json:
            print_json(to_builtins(build))
        else:
            print_build(build)
    return DONE


def _choose_targets(
    context: typer.Context, unit: KernelUnit, targets: str | None
) -> list[str]:
    """Return the targets that were named, or those of the settings that suit the unit."""
    from crawler.errors import Misconfigured
    from crawler.validate.build import target_dialect
    from workers.local.crawl import check_targets

    all_targets = context_settings(context, targets=targets).targets
    check_targets(all_targets)

    # a target that somebody names is compiled for, whatever its dialect
    suitable_targets = [
        target
        for target in all_targets
        if targets or target_dialect(target) is unit.dialect
    ]
    if not suitable_targets:
        names = ", ".join(all_targets)
        raise Misconfigured(
            f"{names} compile no {unit.dialect} unit: give others by --targets",
            code="bad-target",
        )
    return suitable_targets


def _run_on_cpu(
    file: Path,
    device: str,
    *,
    thresholds: StrengthThresholds | None,
    test_folder: Path | None,
    as_json: bool,
) -> int:
    from crawler.codec import to_builtins
    from crawler.errors import Misconfigured
    from crawler.validate.cpu.oracle_and_strength import assess_suite
    from crawler.validate.cpu.result import CPU_DEVICE
    from crawler.validate.cpu.validation import validate_on_cpu
    from crawler.validate.strength.strength_class import StrengthThresholds
    from workers.local.unit_file import read_kernel

    if device != CPU_DEVICE:
        raise Misconfigured(
            f"nothing is called {escape_line(device)}: "
            "give --device cpu, rocm, cuda, or one such as rocm:gfx942",
            code="bad-device",
        )
    if test_folder is not None and test_folder.exists():
        raise Misconfigured(
            f"{escape_line(str(test_folder))} is there already: name a new folder",
            code="folder-exists",
        )

    kernel = read_kernel(file)
    validation = assess_suite(
        kernel,
        validate_on_cpu(kernel),
        measures_strength=thresholds is not None,
        thresholds=thresholds or StrengthThresholds(),
    )
    if test_folder is not None:
        _write_tests(kernel, validation, test_folder)

    if as_json:
        case_names = _list_case_names(validation.suite)
        print_json({**to_builtins(validation.run), "case_names": case_names})
    else:
        print_run(validation.run)
    return DONE


def _run_on_gpu(
    file: Path, device: str, *, is_timed: bool, baseline: float | None, as_json: bool
) -> int:
    from crawler.codec import to_builtins
    from crawler.validate.devices.device_validation import validate_on_device
    from crawler.validate.devices.judgement.performance import Baseline
    from crawler.validate.devices.unit_runs import RunOptions
    from workers.local.unit_file import read_kernel

    given_baseline = None
    if baseline is not None:
        given_baseline = Baseline(milliseconds=baseline, source="given")

    # a baseline alone asks for a measurement, too
    timing: dict[str, int] | None = {} if is_timed or given_baseline else None
    options = RunOptions(timing=timing, baseline=given_baseline)
    validation = validate_on_device(read_kernel(file), device, options)

    if as_json:
        print_json(
            {
                **to_builtins(validation.run),
                "builds": to_builtins(validation.builds),
                "healthy": validation.is_healthy,
                "case_names": _list_case_names(validation.suite),
            }
        )
        return DONE

    for build in validation.builds:
        print_build(build)
    print_run(validation.run)
    return DONE


def _list_case_names(suite: Suite | None) -> list[str]:
    if suite is None:
        return []
    return [case.name for case in suite.cases]


def _write_tests(kernel: Kernel, validation: CpuValidation, folder: Path) -> None:
    """Write the cases of a kernel as a folder of tests; nothing where it has none."""
    from crawler.validate.emulator.program import BuildOptions, build_cpu_program
    from crawler.validate.harness.harness_package import build_harness_package

    suite = validation.suite
    if suite is None or kernel.unit is None:
        return

    # the signatures come from a program for the emulator; all cases of a suite share its entry
    entry = suite.cases[0].entry if suite.cases else 0
    program = build_cpu_program(kernel.unit, BuildOptions(), entry=entry)
    package = build_harness_package(
        kernel.unit, suite, validation.blobs, program.signatures, name=kernel.name
    )

    for name, content in package.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    if package.extension_problem:
        print_note(
            escape_line(
                f"no extension of PyTorch among the tests: {package.extension_problem}"
            )
        )
