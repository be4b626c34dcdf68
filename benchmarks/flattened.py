"""Put the template-free text of kernels in their templates' place, and count which units still compile.

python -m benchmarks.flattened [NAME…] [--folder DIR] [--each N] [--results FILE]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import report
from benchmarks.compile_db import unpacked
from benchmarks.corpus import versions
from benchmarks.launches import facts_of
from crawler.dataset.flatten import Flat, flat, placed
from crawler.extract.link import link
from crawler.model import Instantiation, Kernel, Status
from crawler.validate.build import build

_TARGET = "sm_80"


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One instantiation, and what became of its text."""

    kernel: str
    label: str
    problem: str = ""
    """Empty where it compiles."""
    was_broken: bool = False
    """Whether its template's unit does not compile either."""


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _arguments(argv)
    lines: list[str] = []
    for name in arguments.names or ["mmcv"]:
        with tempfile.TemporaryDirectory() as scratch:
            root = unpacked(name, versions()[name], arguments.folder, Path(scratch))
            found = list(held(link(facts_of(root)), arguments.each))
        print(json.dumps({"package": name, "flattened": len(found), "compile": sum(not one.problem for one in found)}))
        lines += [*reported(name, found), ""]
    if arguments.results:
        command = ["python", "-m", "benchmarks.flattened", *map(str, sys.argv[1:] if argv is None else argv)]
        report.write(arguments.results, "Kernels without their templates", command, lines)
    return 0


def held(kernels: Iterable[Kernel], each: int) -> Iterator[Held]:
    """Yield what becomes of the first and last instantiations of each template that has a unit, `each` at most."""
    for kernel in kernels:
        if kernel.unit is None or not kernel.template_head:
            continue
        known = kernel.unit.instantiations
        chosen = [known[at * (len(known) - 1) // max(1, each - 1)] for at in range(min(each, len(known)))]
        for instantiation in dict.fromkeys(chosen):
            problem = compiled(kernel, flat(kernel, instantiation))
            broken = bool(problem) and build(kernel.unit, _TARGET).build.pass_call.status is not Status.PASS
            yield Held(kernel=kernel.name, label=instantiation.label, problem=problem, was_broken=broken)


def compiled(kernel: Kernel, alone: Flat) -> str:
    """Return why a template-free kernel does not compile in its unit; empty where it does."""
    text = placed(alone, kernel) if alone.source else ""
    if not text or kernel.unit is None:
        return alone.problem or "the unit does not hold the kernel's text"
    scope = kernel.qualified_name.rpartition("::")[0]
    unit = replace(
        kernel.unit,
        source=text,
        digest=hashlib.sha256(text.encode()).hexdigest(),
        kernel_name=f"{scope}::{alone.name}" if scope else alone.name,
        instantiations=(Instantiation(arguments=(), label=""),),
    )
    verdict = build(unit, _TARGET).build.pass_call
    return "" if verdict.status is Status.PASS else verdict.message or verdict.code


def reported(name: str, found: Sequence[Held]) -> list[str]:
    """Return how many compile, and why the others do not."""
    good = sum(not one.problem for one in found)
    broken = sum(one.was_broken for one in found)
    kernels = len({one.kernel for one in found})
    lines = [
        f"{name}: {good} of {len(found)} template-free texts of {kernels} kernels compile for {_TARGET} in "
        f"place of their templates; of the others, {broken} have a unit that does not compile with its template either."
    ]
    reasons = Counter(one.problem for one in found if one.problem and not one.was_broken)
    return [*lines, "", *(f"- {number}: `{reason}`" for reason, number in reasons.most_common(20))]


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.flattened", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="packages of the corpus (default: mmcv)")
    parser.add_argument("--folder", type=Path, help="where packages lie unpacked; else they are fetched")
    parser.add_argument("--each", type=int, default=2, metavar="N", help="instantiations a kernel (default: 2)")
    parser.add_argument("--results", type=Path, help="write a report to this file, too")
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
