"""Build the host harness programs that are exported with a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from crawler.dataset.programs.narrowing import narrow_unit
from crawler.dataset.texts.depth import Depth
from crawler.model import Case, KernelRecord, KernelUnit, Status, Suite
from crawler.validate.harness.judged_test import JudgedTest, build_judged_test
from crawler.validate.harness.program import Harness, build_harness, to_identifier
from crawler.validate.values.blobs import Blobs

ContentReader = Callable[[str], bytes]
"""Gives the bytes of a content by its digest."""
_GOOD_STATUSES: Final = (Status.PASS, Status.CONSISTENT, Status.CONDITIONAL)


def build_programs_at_depth(
    record: KernelRecord, depth: Depth, read_content: ContentReader | None
) -> tuple[Harness, ...]:
    """Return the tests that a rendering of `depth` has: only the deepest has any, where their
    bytes are to be had.
    """
    if depth is not Depth.FULL or read_content is None:
        return ()

    name = record.kernel.name
    subjects = list_judged_units(record, read_content, name)
    return tuple(subject.build_program() for subject in subjects)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedUnit:
    """A unit of one instantiation, and what it is tested by."""

    unit: KernelUnit
    suite: Suite
    blobs: Blobs
    name: str
    """Of its test."""
    reference: KernelUnit | None = None
    """What candidates are held against; `None` for the unit itself."""

    def build_program(self) -> Harness:
        """Return the test as one source that tests itself."""
        return build_harness(self.unit, self.suite, self.blobs, name=self.name)

    def build_judged(self) -> JudgedTest:
        """Return the test as files for a judge."""
        return build_judged_test(self.unit, self.suite, self.blobs, name=self.name)

    def build_judged_with_hidden(self) -> JudgedTest:
        """Return the same with the hidden cases, for a judge whose files nobody is handed."""
        return build_judged_test(
            self.unit,
            self.suite,
            self.blobs,
            name=self.name,
            includes_hidden=True,
            reference_unit=self.reference,
        )


def list_judged_units(
    record: KernelRecord,
    read_content: ContentReader,
    program_name: str,
    *,
    includes_hidden: bool = False,
) -> Iterator[JudgedUnit]:
    """Yield what each test of a kernel is about, the first called `program_name`; none without
    cases that the kernel came through. Contents of hidden cases are read where they are asked for.
    """
    own_unit = record.kernel.unit
    suite = _find_passed_suite(record)
    if suite is None or own_unit is None or not suite.cases:
        return

    entry = suite.cases[0].entry
    blobs = _read_blobs(suite, read_content, includes_hidden=includes_hidden)
    base_name = f"test_{to_identifier(program_name)}"
    ports = _list_passing_ports(record, own_unit)

    for unit in (own_unit, *ports):
        # a port may lack an instantiation that its source has
        entry_count = max(1, len(unit.instantiations))
        if entry >= entry_count:
            continue

        narrow, position = narrow_unit(unit, entry)
        narrow_suite = _narrow_suite(suite, entry, position)
        name = base_name
        if unit is not own_unit:
            name = f"{base_name}_{unit.dialect}"

        yield JudgedUnit(unit=narrow, suite=narrow_suite, blobs=blobs, name=name)


def build_judged_port(
    record: KernelRecord, port: KernelUnit, read_content: ContentReader
) -> JudgedUnit | None:
    """Return what a port that may be wrong is tested by, with hidden cases and with the kernel's
    own unit as the reference; `None` without cases that the kernel came through, or where the
    port lacks the instantiation that they are of.
    """
    own_unit = record.kernel.unit
    suite = _find_passed_suite(record)
    if suite is None or own_unit is None or not suite.cases:
        return None

    entry = suite.cases[0].entry
    if entry >= max(1, len(port.instantiations)):
        return None

    narrow, position = narrow_unit(port, entry)
    reference, _ = narrow_unit(own_unit, entry)
    return JudgedUnit(
        unit=narrow,
        suite=_narrow_suite(suite, entry, position),
        blobs=_read_blobs(suite, read_content, includes_hidden=True),
        name=f"test_{to_identifier(record.kernel.name)}_{port.dialect}",
        reference=reference,
    )


def _narrow_suite(suite: Suite, entry: int, position: int) -> Suite:
    """Return the suite with the cases of the instantiation `entry`, which is at `position` now."""
    cases: list[Case] = []
    for case in suite.cases:
        if case.entry == entry:
            cases.append(replace(case, entry=position))

    return replace(suite, cases=tuple(cases))


def _find_passed_suite(record: KernelRecord) -> Suite | None:
    """Return the cases of the kernel's own unit that it came through."""
    own_unit = record.kernel.unit
    own_digest = own_unit.digest if own_unit else ""

    passed: set[str] = set()
    for run in record.runs:
        if run.pass_exe.status in _GOOD_STATUSES and not run.is_further:
            passed.add(run.suite)

    for digest, suite in record.suites:
        is_own = suite.unit == own_digest
        if is_own and digest in passed:
            return suite

    return None


def _list_passing_ports(record: KernelRecord, unit: KernelUnit) -> list[KernelUnit]:
    """Return the unit's port to the other dialect, where that compiles."""
    passing: set[str] = set()
    for build in record.builds:
        if build.pass_call.status is Status.PASS:
            passing.add(build.unit)

    for port in record.ports:
        is_other_dialect = port.dialect is not unit.dialect
        if is_other_dialect and port.digest in passing:
            return [port]

    return []


def _read_blobs(
    suite: Suite, read_content: ContentReader, *, includes_hidden: bool
) -> Blobs:
    """Return the contents of all cases that are not hidden, or of all."""
    contents: dict[str, bytes] = {}
    for case in suite.cases:
        if case.hidden and not includes_hidden:
            continue

        for buffer in case.buffers:
            for digest in (buffer.content, buffer.gold, buffer.gold_filled):
                # empty where a buffer has none
                if digest and digest not in contents:
                    contents[digest] = read_content(digest)

    return Blobs(contents)
