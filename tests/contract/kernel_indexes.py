"""Filled indexes of every kind, for tests of what each of them does."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from crawler.codec import encode
from crawler.model import (
    Behaviour,
    BufferRole,
    Build,
    Case,
    CaseBuffer,
    CaseKind,
    Dialect,
    FlagsOrigin,
    Instantiation,
    Kernel,
    KernelUnit,
    Launch,
    Layer,
    Licence,
    LicenceClass,
    PortReport,
    Repo,
    Run,
    Span,
    Status,
    Suite,
    Toolchain,
    Verdict,
)
from storage.interfaces import KernelIndex
from storage.ledger.interface import Stage, TaskSpec
from storage.open import Storage
from tests.unit.storage.samples import make_kernel

MMCV = Repo(
    source="pypi",
    owner="",
    name="mmcv",
    url="https://example.org/mmcv-2.2.0.tar.gz",
    ref="2.2.0",
    commit="sha256:aa",
)


FORK = Repo(source="git", owner="some", name="fork", url="u", ref="", commit="beef")


def unit_of(
    text: str,
    *,
    dialect: Dialect = Dialect.CUDA,
    ported_from: str = "",
    blocked: str = "",
) -> KernelUnit:
    return KernelUnit(
        source=text,
        dialect=dialect,
        kernel_name="k",
        instantiations=(Instantiation(arguments=("float",), label="float"),),
        prelude="p",
        digest=hashlib.sha256(text.encode()).hexdigest(),
        token_digest=hashlib.sha256("".join(text.split()).encode()).hexdigest(),
        ported_from=ported_from,
        port_report=PortReport(blockers=((blocked, 3),)) if blocked else None,
    )


def kernel_of(
    name: str, *, path: str = "a.cu", offset: int = 0, **changes: object
) -> Kernel:
    plain = make_kernel(name, offset)
    moved = replace(plain, span=replace(plain.span, path=path))
    return replace(moved, **changes)  # type: ignore[arg-type]


def build_of(
    unit: KernelUnit,
    target: str,
    status: Status,
    code: str = "",
    compiler: str = "clang 19",
) -> Build:
    return Build(
        unit=unit.digest,
        target=target,
        toolchain=Toolchain(compiler=compiler, digest=compiler),
        pass_call=Verdict(status=status, code=code),
    )


def suite_of(unit: KernelUnit) -> tuple[Suite, str]:
    buffer = CaseBuffer(
        name="a",
        element="float",
        element_size=4,
        size=8,
        role=BufferRole.OUT,
        content="1" * 64,
        gold="2" * 64,
    )
    case = Case(
        name="ordinary",
        kind=CaseKind.ORDINARY,
        grid=(1, 1, 1),
        block=(1, 1, 1),
        buffers=(buffer,),
    )
    suite = Suite(unit=unit.digest, seed=0, cases=(case,))
    return suite, hashlib.sha256(encode(suite)).hexdigest()


def run_of(
    unit: KernelUnit,
    device: str,
    status: Status,
    code: str = "",
    compiler: str = "clang 19",
    suite: str = "",
) -> Run:
    return Run(
        unit=unit.digest,
        device=device,
        toolchain=Toolchain(compiler=compiler, digest=compiler),
        pass_exe=Verdict(status=status, code=code),
        behaviour=Behaviour.DETERMINISTIC,
        suite=suite,
        cases=1 if suite else 0,
    )


ALIGN = unit_of("roi_align body")


PORTED = unit_of(
    "hip roi_align body", dialect=Dialect.HIP, ported_from=ALIGN.digest, blocked="ptx"
)


OTHER = unit_of("nms body")


LAUNCH = Launch(
    span=Span(path="host.cpp", line=5, end_line=5, offset=9, end_offset=20),
    kernel_name="k",
    grid="g",
    block="b",
)


KERNELS = (
    kernel_of(
        "roi_align_forward",
        template_head="template <typename T>",
        instantiations=(
            Instantiation(arguments=("float",), label="float"),
            Instantiation(arguments=("c10::Half",), label="half"),
        ),
        launches=(LAUNCH,),
        unit=ALIGN,
        tags=("template", "uses:atomics"),
        licence=Licence(spdx="Apache-2.0", kind=LicenceClass.PERMISSIVE),
    ),
    kernel_of(
        "nms",
        path="b.cu",
        offset=7,
        unit=OTHER,
        tags=("trivial",),
        template_head="template <>",
    ),
    kernel_of(
        "Lost_100%",
        path="b.cu",
        offset=90,
        unit_problem="unresolved:Foo",
        found_by=Layer.SYNTACTIC,
        reason="parse-timeout",
        flags_origin=FlagsOrigin.SYNTHESISED,
    ),
)


BUILDS = (
    build_of(ALIGN, "sm_80", Status.FAIL, "compile-error", compiler="clang 18"),
    build_of(ALIGN, "sm_80", Status.PASS),
    build_of(PORTED, "gfx90a", Status.FAIL, "compile-error"),
    build_of(OTHER, "sm_80", Status.UNSUPPORTED, "no-compiler"),
)


SUITE, SUITE_DIGEST = suite_of(ALIGN)


RUNS = (
    run_of(ALIGN, "cpu", Status.FAIL, "race", compiler="clang 18"),
    run_of(ALIGN, "cpu", Status.CONSISTENT, "few-cases", suite=SUITE_DIGEST),
    replace(
        run_of(PORTED, "rocm:gfx90a", Status.PASS, suite=SUITE_DIGEST),
        pass_perf=Verdict(status=Status.FAIL, code="slow"),
    ),
    run_of(PORTED, "cpu", Status.PASS),
    run_of(OTHER, "cpu", Status.UNSUPPORTED, "extent"),
)


def fill_index(index: KernelIndex, crawl_task: int) -> None:
    index.put_commit(MMCV, "snapshot", "", task=crawl_task)
    index.put_commit(MMCV, "", "database")
    index.put_kernels(MMCV, KERNELS)
    index.put_commit(FORK, "", "")
    index.put_kernels(FORK, [replace(KERNELS[0], found_by=Layer.STRING)])
    index.put_ports([PORTED, OTHER])
    index.put_builds(BUILDS)
    index.put_runs(RUNS, [SUITE])


def crawl_in(storage: Storage) -> tuple[str, int]:
    spec = TaskSpec(
        stage=Stage.CLONE, key="k", version="7", queue="q", payload="{}", subject="s"
    )
    crawl = storage.ledger.open_crawl(("pypi:mmcv",), (spec,))
    claim = storage.ledger.claim("me", (Stage.CLONE,), 60)
    assert claim
    return crawl, claim.id


KINDS = ("sqlite", "postgres", "memory")


def names(index: KernelIndex, expression: str = "") -> list[str]:
    return [f"{row.repo}:{row.name}" for row in index.query(expression)]
