"""A worker serves the queues for which its machine has what they need, and no others."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from crawler import sandbox
from crawler.errors import Misconfigured
from crawler.sandbox.barriers import SelfTest
from crawler.toolchains import discovery, installed_libclang
from crawler.validate.devices import gpu_detection
from crawler.validate.devices.gpu_detection import Gpu
from workers.cluster.capabilities import (
    select_queues,
    servable_gpu_queues,
    servable_queues,
)

ALWAYS = ["list", "link", "port"]


@dataclass
class Machine:
    """What is there of all that stages need."""

    monkeypatch: pytest.MonkeyPatch

    def has(
        self,
        *,
        git: bool = False,
        vendor_compilers: bool = False,
        clang: bool = False,
        libclang: bool = False,
        works_sandbox: bool = False,
        moves_folders: bool = True,
        runs_plainly: bool = False,
    ) -> None:
        patch = self.monkeypatch.setattr
        programs = ["git"] if git else []
        programs += ["hipcc", "nvcc"] if vendor_compilers else []
        patch(shutil, "which", lambda name: name if name in programs else None)
        patch(discovery, "find_clang", lambda: Path("clang") if clang else None)
        patch(
            installed_libclang,
            "find_libclang_resource_dir",
            lambda: Path("lib") if libclang else None,
        )
        self_test = SelfTest(works=works_sandbox, reason="")
        patch(sandbox, "run_self_test", lambda: self_test)
        has_builds = works_sandbox and moves_folders
        patch(sandbox, "explain_missing_builds", lambda: "" if has_builds else "no")
        patch(sandbox, "can_parse", lambda: works_sandbox or runs_plainly)

    def has_gpus(self, *gpus: Gpu) -> None:
        def detect(runtime: str) -> tuple[Gpu, ...]:
            return tuple(gpu for gpu in gpus if gpu.runtime == runtime)

        self.monkeypatch.setattr(gpu_detection, "detect_gpus", detect)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(monkeypatch)


def make_gpu(runtime: str, index: int, arch: str) -> Gpu:
    return Gpu(runtime=runtime, index=index, name="a", arch=arch, library=Path("lib"))


@pytest.mark.parametrize(
    ("parts", "queues"),
    [
        (set(), []),
        ({"git"}, ["clone"]),
        ({"works_sandbox"}, ["build-db"]),
        # parsing and compiling want the sandbox, or leave to do without
        ({"libclang"}, []),
        ({"libclang", "runs_plainly"}, ["extract"]),
        ({"libclang", "works_sandbox"}, ["build-db", "extract"]),
        ({"clang"}, []),
        ({"clang", "runs_plainly"}, ["validate.build"]),
        # to run a stranger's kernel nothing but the sandbox will do
        (
            {"clang", "works_sandbox"},
            ["build-db", "validate.build", "validate.cpu", "judge"],
        ),
        (
            {"git", "clang", "libclang", "works_sandbox"},
            ["clone", "build-db", "extract", "validate.build", "validate.cpu", "judge"],
        ),
    ],
)
def test_a_queue_is_served_where_its_tools_are(
    machine: Machine, parts: set[str], queues: list[str]
) -> None:
    machine.has(**dict.fromkeys(parts, True))
    assert sorted(servable_queues()) == sorted([*ALWAYS, *queues])


def test_queues_come_in_the_order_of_the_pipeline(machine: Machine) -> None:
    machine.has(git=True, clang=True, libclang=True, works_sandbox=True)
    assert servable_queues() == (
        "list",
        "clone",
        "build-db",
        "extract",
        "link",
        "port",
        "validate.build",
        "validate.cpu",
        "judge",
    )


def test_a_gpu_serves_its_own_queue_alone(machine: Machine) -> None:
    machine.has(git=True)
    machine.has_gpus(
        make_gpu("rocm", 0, "gfx942"),
        make_gpu("rocm", 1, "gfx90a"),
        make_gpu("cuda", 1, "sm_90"),
    )
    assert servable_gpu_queues(0) == ("validate.rocm.gfx942",)
    # each runtime counts its own
    assert servable_gpu_queues(1) == ("validate.rocm.gfx90a", "validate.cuda.sm_90")
    assert select_queues(["validate.cuda.*"], gpu=1) == ("validate.cuda.sm_90",)


def test_a_gpu_judges_where_its_compiler_is(machine: Machine) -> None:
    machine.has_gpus(make_gpu("cuda", 0, "sm_90"))
    machine.has(vendor_compilers=True, works_sandbox=True)
    assert servable_gpu_queues(0) == ("validate.cuda.sm_90", "judge.cuda.sm_90")
    machine.has(works_sandbox=True)
    assert servable_gpu_queues(0) == ("validate.cuda.sm_90",)
    machine.has(vendor_compilers=True, works_sandbox=True, moves_folders=False)
    assert servable_gpu_queues(0) == ("validate.cuda.sm_90",)


@pytest.mark.parametrize("ordinal", [2, -1])
def test_a_gpu_that_is_not_there_is_said(machine: Machine, ordinal: int) -> None:
    machine.has_gpus(make_gpu("rocm", 0, "gfx942"))
    with pytest.raises(Misconfigured, match=f"no GPU {ordinal} that opens") as raised:
        servable_gpu_queues(ordinal)
    assert raised.value.code == "no-gpu"


@pytest.mark.parametrize(
    ("patterns", "queues"),
    [
        ([], ["list", "clone", "link", "port"]),
        (["clone"], ["clone"]),
        (["l*"], ["list", "link"]),
        (["port", "list"], ["list", "port"]),
    ],
)
def test_patterns_choose_among_what_can_be_served(
    machine: Machine, patterns: list[str], queues: list[str]
) -> None:
    machine.has(git=True)
    assert list(select_queues(patterns)) == queues


@pytest.mark.parametrize("pattern", ["extract", "validate.rocm.*", "Clone", ""])
def test_a_worker_is_not_started_for_what_it_cannot_do(
    machine: Machine, pattern: str
) -> None:
    machine.has(git=True)
    with pytest.raises(Misconfigured, match="it can serve list, clone") as raised:
        select_queues(["clone", pattern])
    assert raised.value.code == "cannot-serve"


def test_without_moved_folders_candidates_are_judged_elsewhere(
    machine: Machine,
) -> None:
    machine.has(git=True, clang=True, libclang=True, works_sandbox=True)
    everything = set(servable_queues())
    machine.has(
        git=True, clang=True, libclang=True, works_sandbox=True, moves_folders=False
    )
    assert everything - set(servable_queues()) == {"judge"}
