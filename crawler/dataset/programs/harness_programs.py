"""Build the host harness programs that are exported with a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from crawler.dataset.programs.narrowing import narrow_unit
from crawler.dataset.texts.depth import Depth
from crawler.model import KernelRecord, KernelUnit, Status, Suite
from crawler.validate.harness.program import Harness, build_harness, to_identifier
from crawler.validate.values.blobs import Blobs

ContentReader = Callable[[str], bytes]
_GOOD: Final = (Status.PASS, Status.CONSISTENT)


def build_programs_at_depth(
    record: KernelRecord, depth: Depth, read_content: ContentReader | None
) -> tuple[Harness, ...]:
    """Return the tests that a rendering of `depth` has: only the deepest has any, where their
    bytes are to be had.
    """
    if depth is not Depth.FULL or read_content is None:
        return ()
    return tuple(
        test for _, test in build_programs(record, read_content, record.kernel.name)
    )


def build_programs(
    record: KernelRecord, read_content: ContentReader, program_name: str
) -> Iterator[tuple[KernelUnit, Harness]]:
    """Yield the unit and the test of each program, called `program_name`; none without cases
    that the kernel came through.
    """
    suite, unit = _suite(record), record.kernel.unit
    if suite is None or unit is None or not suite.cases:
        return
    entry = suite.cases[0].entry
    blobs = _blobs(suite, read_content)
    called = f"test_{to_identifier(program_name)}"
    for each in (unit, *_ported(record, unit)):
        if entry < max(1, len(each.instantiations)):
            one, position = narrow_unit(each, entry)
            cases = tuple(
                replace(case, entry=position)
                for case in suite.cases
                if case.entry == entry
            )
            twin = "" if each is unit else f"_{each.dialect}"
            yield (
                one,
                build_harness(
                    one, replace(suite, cases=cases), blobs, name=called + twin
                ),
            )


def _suite(record: KernelRecord) -> Suite | None:
    """Return the cases of the kernel's own unit that it came through."""
    good = {run.suite for run in record.runs if run.pass_exe.status in _GOOD}
    own = record.kernel.unit.digest if record.kernel.unit else ""
    return next(
        (
            suite
            for digest, suite in record.suites
            if digest in good and suite.unit == own
        ),
        None,
    )


def _ported(record: KernelRecord, unit: KernelUnit) -> list[KernelUnit]:
    passing = {
        build.unit for build in record.builds if build.pass_call.status is Status.PASS
    }
    return [
        port
        for port in record.ports
        if port.digest in passing and port.dialect is not unit.dialect
    ][:1]


def _blobs(suite: Suite, content_of: ContentReader) -> Blobs:
    shown = [
        buffer for case in suite.cases if not case.hidden for buffer in case.buffers
    ]
    told = (
        digest
        for buffer in shown
        for digest in (buffer.content, buffer.gold, buffer.gold_filled)
    )
    return Blobs(
        {digest: content_of(digest) for digest in dict.fromkeys(filter(None, told))}
    )
