"""The tests that come with a kernel: one program for its unit and one for its port, with the cases that are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from crawler.dataset.depth import Depth
from crawler.dataset.instantiated import narrowed
from crawler.model import KernelRecord, KernelUnit, Status, Suite
from crawler.validate.blobs import Blobs
from crawler.validate.harness.program import Harness, harness_of, identifier

ContentOf = Callable[[str], bytes]
_GOOD: Final = (Status.PASS, Status.CONSISTENT)


def programs_at(record: KernelRecord, depth: Depth, content_of: ContentOf | None) -> tuple[Harness, ...]:
    """Return the tests that a rendering of `depth` has: only the deepest has any, where their bytes are to be had."""
    if depth is not Depth.FULL or content_of is None:
        return ()
    return tuple(test for _, test in programs(record, content_of, record.kernel.name))


def programs(record: KernelRecord, content_of: ContentOf, name: str) -> Iterator[tuple[KernelUnit, Harness]]:
    """Yield the unit and the test of each program, called `name`; none without cases that the kernel came through."""
    suite, unit = _suite(record), record.kernel.unit
    if suite is None or unit is None or not suite.cases:
        return
    entry = suite.cases[0].entry
    blobs = _blobs(suite, content_of)
    called = f"test_{identifier(name)}"
    for each in (unit, *_ported(record, unit)):
        if entry < max(1, len(each.instantiations)):
            one, position = narrowed(each, entry)
            cases = tuple(replace(case, entry=position) for case in suite.cases if case.entry == entry)
            twin = "" if each is unit else f"_{each.dialect}"
            yield one, harness_of(one, replace(suite, cases=cases), blobs, name=called + twin)


def _suite(record: KernelRecord) -> Suite | None:
    """Return the cases of the kernel's own unit that it came through."""
    good = {run.suite for run in record.runs if run.pass_exe.status in _GOOD}
    own = record.kernel.unit.digest if record.kernel.unit else ""
    return next((suite for digest, suite in record.suites if digest in good and suite.unit == own), None)


def _ported(record: KernelRecord, unit: KernelUnit) -> list[KernelUnit]:
    passing = {build.unit for build in record.builds if build.pass_call.status is Status.PASS}
    return [port for port in record.ports if port.digest in passing and port.dialect is not unit.dialect][:1]


def _blobs(suite: Suite, content_of: ContentOf) -> Blobs:
    shown = [buffer for case in suite.cases if not case.hidden for buffer in case.buffers]
    told = (digest for buffer in shown for digest in (buffer.content, buffer.gold, buffer.gold_filled))
    return Blobs({digest: content_of(digest) for digest in dict.fromkeys(filter(None, told))})
