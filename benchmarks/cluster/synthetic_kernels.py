"""Fill a storage with synthetic kernels, the same ones in each run."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence

from crawler.model import (
    Build,
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
    Span,
    Status,
    Toolchain,
    Verdict,
)
from storage.ledger.interface import Outcome, Stage, TaskSpec
from storage.open import Storage

KERNELS_PER_COMMIT = 200


def fill_storage(storage: Storage, kernels: int) -> str:
    """Store `kernels` in commits of 200, each under a task of one crawl."""
    commits = -(-kernels // KERNELS_PER_COMMIT)
    specs = tuple(
        TaskSpec(
            stage=Stage.CLONE,
            key=str(n),
            version="1",
            queue="q",
            payload="{}",
            subject="s",
        )
        for n in range(commits)
    )
    crawl = storage.ledger.open_crawl(("synthetic",), specs)
    chance = random.Random(7)
    for number in range(commits):
        claim = storage.ledger.claim("benchmark", (Stage.CLONE,), 600)
        assert claim
        kernel_count = min(KERNELS_PER_COMMIT, kernels - number * KERNELS_PER_COMMIT)
        put_commit(
            storage,
            number,
            claim.id,
            [make_kernel(number, index, chance) for index in range(kernel_count)],
            chance,
        )
        storage.ledger.finish(claim, Outcome())
    return crawl


def put_commit(
    storage: Storage,
    number: int,
    task: int,
    kernels: Sequence[Kernel],
    chance: random.Random,
) -> None:
    repo = Repo(
        source="git",
        owner=f"owner{number % 50}",
        name=f"project{number}",
        url=f"https://example.org/{number}",
        ref="main",
        commit=_digest(f"commit {number}")[:40],
    )
    storage.index.put_commit(repo, _digest("snapshot"), _digest("database"), task=task)
    storage.index.put_kernels(repo, kernels)
    units = {kernel.unit.digest: kernel.unit for kernel in kernels if kernel.unit}
    ported = [
        make_unit(f"hip {unit.source}", Dialect.HIP, unit.digest, chance)
        for unit in units.values()
    ]
    storage.index.put_ports(ported)
    storage.index.put_builds(
        make_build(unit, target, chance)
        for unit in units.values()
        for target in ("sm_80", "sm_90")
    )
    storage.index.put_builds(make_build(unit, "gfx90a", chance) for unit in ported)


def make_kernel(commit: int, number: int, chance: random.Random) -> Kernel:
    name = f"{chance.choice(('roi_align', 'nms', 'softmax', 'scatter_add'))}_{number}_kernel"
    # one kernel in five stands in forks, too
    unit_text = f"{name} {number if chance.random() < 0.2 else (commit, number)}"
    line = chance.randrange(2000)
    labels = chance.sample(
        ("float", "double", "c10::Half", "c10::BFloat16"), chance.randrange(1, 4)
    )
    return Kernel(
        name=name,
        qualified_name=f"project::{name}",
        mangled=f"_Z{len(name)}{name}",
        dialect=Dialect.CUDA,
        span=Span(
            path=f"src/ops/file_{number // 4}.cu",
            line=line,
            end_line=line + chance.randrange(5, 200),
            offset=number * 4000,
            end_offset=number * 4000 + 3000,
        ),
        found_by=Layer.AST if chance.random() < 0.95 else Layer.SYNTACTIC,
        reason="",
        source=f"__global__ void {name}() {{}}" + "// body\n" * 60,
        template_head="template <typename T>",
        parameters=(),
        template_parameters=(),
        attributes=(),
        instantiations=tuple(
            Instantiation(arguments=(label,), label=label) for label in labels
        ),
        launches=(make_launch(name),) * chance.randrange(3),
        flags_origin=FlagsOrigin.EXPORTED,
        unit=make_unit(unit_text, Dialect.CUDA, "", chance)
        if chance.random() < 0.95
        else None,
        unit_problem="",
        tags=tuple(
            tag
            for tag, share in (("uses:atomics", 0.5), ("rare", 0.01), ("large", 0.1))
            if chance.random() < share
        ),
        licence=Licence(spdx="Apache-2.0", kind=chance.choice(tuple(LicenceClass))),
    )


def make_launch(name: str) -> Launch:
    span = Span(path="src/ops/host.cpp", line=9, end_line=9, offset=300, end_offset=390)
    return Launch(span=span, kernel_name=name, grid="blocks", block="256")


def make_unit(
    text: str, dialect: Dialect, ported_from: str, chance: random.Random
) -> KernelUnit:
    source = f"// {text}\n" + "// a closure of this many lines\n" * 60
    return KernelUnit(
        source=source,
        dialect=dialect,
        kernel_name="k",
        instantiations=(),
        prelude="p",
        digest=_digest(source),
        token_digest=_digest(text.split()[0]),
        ported_from=ported_from,
        port_report=PortReport(blockers=(("inline-ptx", 3),))
        if ported_from and chance.random() < 0.02
        else None,
    )


def make_build(kernel_unit: KernelUnit, target: str, chance: random.Random) -> Build:
    good = chance.random() < 0.9
    verdict = (
        Verdict(status=Status.PASS)
        if good
        else Verdict(status=Status.FAIL, code="compile-error", message="no")
    )
    return Build(
        unit=kernel_unit.digest,
        target=target,
        toolchain=Toolchain(compiler="clang", digest="clang"),
        pass_call=verdict,
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
