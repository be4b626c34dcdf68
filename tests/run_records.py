"""Records whose kernels were run, made from the records of a real crawl and cases that are small
enough to be read.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from crawler import codec
from crawler.model import (
    Behaviour,
    BufferRole,
    Case,
    CaseArgument,
    CaseBuffer,
    CaseKind,
    CasePointer,
    KernelRecord,
    Oracle,
    PortReport,
    Run,
    Status,
    Suite,
    Toolchain,
    Verdict,
)
from crawler.validate.values.blobs import Blobs

BLOBS = Blobs()
"""The bytes of all cases."""
SECRET_CONTENT = b"held"
"""Of the case that is held back."""
GOLDEN_CONTENT = b"\0\0\x80?" * 2
"""What the shown case ought to give."""
_RECORDS = Path(__file__).parent / "fixtures/records.json"


def make_run_records() -> tuple[KernelRecord, ...]:
    """Return a record whose unit passed and whose port failed, and one that nothing came of."""
    records = codec.decode(_RECORDS.read_bytes(), tuple[KernelRecord, ...])
    plain = next(record for record in records if record.kernel.name == "block_sum")
    unit = plain.kernel.unit
    assert unit is not None
    suite = _make_suite(unit.digest)
    digest = BLOBS.put(codec.encode(suite))
    run = Run(
        unit=unit.digest,
        device="cpu",
        toolchain=Toolchain(compiler="clang 19"),
        pass_exe=Verdict(status=Status.PASS),
        behaviour=Behaviour.DETERMINISTIC,
        instantiation=unit.instantiations[1].label,
        suite=digest,
        cases=1,
        oracle=Oracle.PROJECT_CPU,
    )
    port = plain.ports[0]
    race = Verdict(status=Status.FAIL, code="race", message="two threads write out[0]")
    beaten = replace(run, unit=port.digest, pass_exe=race, suite="")
    ran = replace(plain, runs=(run, beaten), suites=((digest, suite),))

    blocked_port = replace(port, port_report=PortReport(blockers=(("mma", 3),)))
    kernel = replace(plain.kernel, unit=None, unit_problem="unresolved: Foo")
    builds = tuple(
        replace(
            build,
            pass_call=Verdict(
                status=Status.FAIL, code="compile-error", message="no Foo"
            ),
        )
        for build in plain.builds
    )
    failed = replace(plain, kernel=kernel, ports=(blocked_port,), builds=builds)
    return ran, failed


def _make_suite(unit: str) -> Suite:
    buffer = CaseBuffer(
        name="in",
        element="float",
        element_size=4,
        size=8,
        role=BufferRole.INOUT,
        content=BLOBS.put(bytes(8)),
        gold=BLOBS.put(GOLDEN_CONTENT),
        absolute=0.5,
    )
    pointer = CasePointer(at=0, buffer=0)
    case = Case(
        name="ordinary",
        kind=CaseKind.ORDINARY,
        entry=1,
        grid=(2, 1, 1),
        block=(64, 1, 1),
        arguments=(CaseArgument(name="in", content="00" * 8, pointers=(pointer,)),),
        buffers=(buffer,),
    )
    secret = replace(buffer, content=BLOBS.put(SECRET_CONTENT))
    hidden = replace(case, name="hidden", hidden=True, buffers=(secret,))
    return Suite(unit=unit, seed=3, cases=(case, hidden), oracle=Oracle.PROJECT_CPU)


def make_launched_record() -> KernelRecord:
    """Return a record that came through three cases, which pass all that its kernel takes."""
    ran, _ = make_run_records()
    ((_, suite),) = ran.suites
    case = suite.cases[0]
    (pointer,) = case.arguments[0].pointers
    output = replace(case.arguments[0], name="out", pointers=(pointer,))
    count = CaseArgument(name="n", content="02000000")
    arguments = (case.arguments[0], output, count)
    cases = tuple(
        replace(case, name=name, arguments=arguments)
        for name in ("ordinary", "again", "once-more")
    )
    whole = replace(suite, cases=(*cases, suite.cases[1]))
    digest = BLOBS.put(codec.encode(whole))
    runs = tuple(replace(run, suite=digest if run.suite else "") for run in ran.runs)
    return replace(ran, runs=runs, suites=((digest, whole),))
