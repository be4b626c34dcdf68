"""Remove each declaration of a unit in turn and count those without which the object stays the
same.

python -m benchmarks minimality [NAME…] [--folder DIR] [--sample N] [--results
FILE]
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import report
from benchmarks.arguments import add_folder, add_results, create_parser
from benchmarks.corpus.compile_db import fetch_package
from benchmarks.corpus.corpus import corpus_versions
from benchmarks.extraction.launches import extract_facts
from crawler import process
from crawler.extract.closure.emit_unit import emit_kernel_unit
from crawler.extract.link import link_kernels
from crawler.model import Closure, Dialect, Kernel, KernelUnit, Status, UnitFacts
from crawler.process_limits import Limits
from crawler.toolchains import discovery
from crawler.toolchains.clang_flags import get_compile_flags
from crawler.validate.build import build_unit
from crawler.validate.toolchains.precompiled_headers import (
    find_prelude,
    precompile_prelude,
)

SAMPLE_PACKAGES = (
    "mmcv",
    "torch_cluster",
    "torch_scatter",
    "torch_sparse",
    "torch_spline_conv",
    "exllamav2",
    "fairseq",
)
_TARGET = "sm_80"
_MOST_INSTANTIATIONS = 32
_MOST_FRAGMENTS = 150
_LIMITS = Limits(seconds=60)


@dataclass(frozen=True, slots=True, kw_only=True)
class MinimalityTrial:
    """A unit, and what of it can be left out."""

    kernel: str
    fragments: int
    droppable: tuple[str, ...]
    """The object stays the same without."""
    headers: tuple[str, ...]
    """Library headers without which it stays the same, too: others bring the same names along."""
    decisive: int
    """It compiles without, but to another object: an overload, a specialisation, a macro under
    `#ifdef`.
    """


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    lines: list[str] = []
    total: list[MinimalityTrial] = []
    for name in arguments.names or SAMPLE_PACKAGES:
        with tempfile.TemporaryDirectory() as scratch:
            root = fetch_package(
                name, corpus_versions()[name], arguments.folder, Path(scratch)
            )
            trials = list(run_trials(extract_facts(root), arguments.sample))
        total += trials
        print(
            json.dumps(
                {
                    "package": name,
                    "units": len(trials),
                    "minimal": _count_minimal(trials),
                }
            ),
            flush=True,
        )
        lines += [*format_report(name, trials), ""]
    if arguments.results:
        command = report.describe_command("minimality", argv)
        head = (
            f"{_count_minimal(total)} of {len(total)} units "
            f"({_format_share(_count_minimal(total), len(total))}) are minimal."
        )
        report.write_report(
            arguments.results, "Minimality of units", command, [head, "", *lines]
        )
    return 0


def run_trials(facts: Sequence[UnitFacts], sample: int) -> Iterator[MinimalityTrial]:
    """Yield the trials of `sample` CUDA units, spread over all that compile."""
    eligible_kernels = [
        kernel for kernel in link_kernels(facts) if _is_eligible(kernel)
    ]
    step = max(1, len(eligible_kernels) // sample) if sample else 1
    for kernel in eligible_kernels[::step]:
        closure = _find_closure(kernel, facts)
        if closure is not None and kernel.unit is not None and _compiles(kernel.unit):
            yield _run_trial(kernel, kernel.unit, closure)


def _is_eligible(kernel: Kernel) -> bool:
    unit = kernel.unit
    return (
        unit is not None
        and unit.dialect is Dialect.CUDA
        and len(unit.instantiations) <= _MOST_INSTANTIATIONS
    )


def _find_closure(kernel: Kernel, facts: Iterable[UnitFacts]) -> Closure | None:
    """Return the closure that the kernel's unit was made of."""
    for sighting in (facts_kernel for unit in facts for facts_kernel in unit.kernels):
        same = sighting.span == kernel.span and sighting.name == kernel.name
        if (
            same
            and sighting.closure
            and kernel.unit
            and _emit_unit(kernel.unit, sighting.closure) == kernel.unit
        ):
            return (
                sighting.closure
                if len(sighting.closure.fragments) <= _MOST_FRAGMENTS
                else None
            )
    return None


def _emit_unit(unit: KernelUnit, closure: Closure) -> KernelUnit:
    return emit_kernel_unit(
        closure, unit.dialect, unit.kernel_name, unit.instantiations, unit.standard
    )


def _run_trial(kernel: Kernel, unit: KernelUnit, closure: Closure) -> MinimalityTrial:
    whole = build_unit(unit, _TARGET).build.object_digest
    droppable, decisive = [], 0
    for title, smaller_closure in _iter_smaller_closures(closure):
        smaller = _emit_unit(unit, smaller_closure)
        if smaller.source != unit.source and _compiles(smaller):
            smaller_build = build_unit(smaller, _TARGET).build
            if (
                smaller_build.pass_call.status is Status.PASS
                and smaller_build.object_digest == whole
            ):
                droppable.append(title)
            else:
                decisive += 1
    headers = tuple(title for title in droppable if title.startswith("<"))
    return MinimalityTrial(
        kernel=kernel.name,
        fragments=len(closure.fragments),
        droppable=tuple(title for title in droppable if title not in headers),
        headers=headers,
        decisive=decisive,
    )


def _iter_smaller_closures(closure: Closure) -> Iterator[tuple[str, Closure]]:
    """Yield the closure without each of its fragments but the kernel, and without each library
    header.
    """
    for index, fragment in enumerate(closure.fragments[:-1]):
        yield (
            _get_fragment_title(fragment),
            replace(
                closure,
                fragments=(*closure.fragments[:index], *closure.fragments[index + 1 :]),
            ),
        )
    for index, header in enumerate(closure.includes[1:], 1):
        yield (
            header,
            replace(
                closure,
                includes=(*closure.includes[:index], *closure.includes[index + 1 :]),
            ),
        )


def _get_fragment_title(fragment: str) -> str:
    lines = [line.strip() for line in fragment.splitlines() if line.strip()]
    own = [
        line
        for line in lines
        if not line.startswith(
            ("namespace ", "template", "inline namespace", "//", "/*", "*")
        )
    ]
    return (own or lines)[0][:90]


def _compiles(unit: KernelUnit) -> bool:
    clang = discovery.find_clang()
    assert clang is not None
    flags = get_compile_flags(unit.dialect, _TARGET, unit.standard)
    header = (
        precompile_prelude(find_prelude(unit.source), clang.path, flags)
        if unit.standard == "c++17"
        else None
    )
    use = ("-include-pch", str(header)) if header else ()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "unit.cu")
        file.write_text(unit.source, "utf-8", "surrogateescape")
        ended = process.run(
            [str(clang.path), *flags, *use, "-fsyntax-only", str(file)], limits=_LIMITS
        )
    return ended.exit_code == 0


def format_report(name: str, finished_trials: Sequence[MinimalityTrial]) -> list[str]:
    """Return the share of minimal units, and what can be left out of the others."""
    fragments, superfluous = (
        sum(trial.fragments for trial in finished_trials),
        sum(len(trial.droppable) for trial in finished_trials),
    )
    lines = [
        f"## {name}",
        "",
        f"{_count_minimal(finished_trials)} of {len(finished_trials)} units are minimal "
        f"({_format_share(_count_minimal(finished_trials), len(finished_trials))}). Of {fragments} "
        f"declarations, macros and kernels {superfluous} can be left out "
        f"({_format_share(superfluous, fragments)}); "
        f"{sum(trial.decisive for trial in finished_trials)} more leave a unit that "
        "compiles, but to another object. "
        f"Of library headers, {sum(len(trial.headers) for trial in finished_trials)} "
        "could be left out.",
        "",
    ]
    title_counts = Counter(
        title for trial in finished_trials for title in trial.droppable
    )
    return [
        *lines,
        *(
            f"- {number} times `{title.replace('`', '')}`"
            for title, number in title_counts.most_common(25)
        ),
    ]


def _count_minimal(trials: Sequence[MinimalityTrial]) -> int:
    return sum(not trial.droppable for trial in trials)


def _format_share(part: int, whole: int) -> str:
    return f"{100 * part / max(1, whole):.0f} %"


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = create_parser("minimality", __doc__)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"packages of the corpus (default: {', '.join(SAMPLE_PACKAGES)})",
    )
    add_folder(parser)
    parser.add_argument(
        "--sample",
        type=int,
        default=25,
        metavar="N",
        help="units a package (default: 25; 0: all)",
    )
    add_results(parser)
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
