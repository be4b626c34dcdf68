"""A batch of units is ported or built to its end, whatever one of them does."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

import pytest
from sqlalchemy import text

from crawler.errors import MissingTool
from crawler.model import Build, Dialect, KernelUnit, Status, Toolchain, Verdict
from crawler.port.port import MAX_TEXT_LENGTH
from crawler.validate.validator_interface import Built
from storage.ledger.interface import Claim, Stage, TaskSpec
from storage.open import Storage
from workers.stages import port, validate
from workers.tasks.payloads import ValidatePayload
from workers.tasks.task_specs import make_task_spec, store_json
from workers.workspace.task_workspace import Workspace


def unit(source: str) -> KernelUnit:
    return KernelUnit(
        source=source,
        dialect=Dialect.CUDA,
        kernel_name="k",
        instantiations=(),
        prelude="",
        digest=hashlib.sha256(source.encode()).hexdigest(),
        token_digest="",
    )


UNITS = tuple(map(unit, ("crashes us", "compiles", "compiles otherwise")))


@dataclass
class Builder:
    """Stands for a compiler: crashes our own code on one unit, and on the machine where it is
    told to.
    """

    missing: bool = False

    def __call__(self, unit: KernelUnit, target: str) -> Built:
        if self.missing:
            raise MissingTool("no clang: install it")
        if unit.source == "crashes us":
            raise ZeroDivisionError("oops")
        verdict = Verdict(status=Status.PASS)
        build = Build(
            unit=unit.digest,
            target=target,
            toolchain=Toolchain(compiler="clang"),
            pass_call=verdict,
        )
        return Built(build=build, object=unit.source.encode())


def claim_task(storage: Storage, task: TaskSpec) -> Claim:
    storage.ledger.open_crawl(("x",), (task,))
    claim = storage.ledger.claim("me", (task.stage,), 60)
    assert claim
    return claim


@pytest.fixture
def batch(storage: Storage) -> Claim:
    payload = ValidatePayload(units=store_json(storage.blobs, UNITS), target="sm_80")
    return claim_task(storage, make_task_spec(Stage.VALIDATE, payload, "some"))


def test_a_unit_that_crashes_our_code_is_a_verdict_and_the_others_go_on(
    storage: Storage,
    workspace: Workspace,
    batch: Claim,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(validate, "build_unit", Builder())
    summary = json.loads(validate.run(batch, storage, workspace).result)
    assert summary == {"target": "sm_80", "reused": 0, "fail": 1, "pass": 2}
    with storage.engine.connect() as connection:
        crashed, *passed = connection.execute(
            text("SELECT code, message, object FROM build ORDER BY id")
        ).all()
    assert (crashed.code, "ZeroDivisionError: oops" in crashed.message) == (
        "internal",
        True,
    )
    assert [storage.blobs.get(build.object).decode() for build in passed] == [
        "compiles",
        "compiles otherwise",
    ]


def test_a_machine_that_cannot_build_gives_no_verdict(
    storage: Storage,
    workspace: Workspace,
    batch: Claim,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(validate, "build_unit", Builder(missing=True))
    with pytest.raises(MissingTool):
        validate.run(batch, storage, workspace)


def test_a_unit_that_cannot_be_ported_is_counted_by_its_code() -> None:
    huge = unit("//" + "x" * MAX_TEXT_LENGTH + "\n__global__ void k() {}\n")
    ported, refused = port._port_units([huge, unit("__global__ void k() {}\n")])
    assert (len(ported), dict(refused)) == (1, {"port-too-large": 1})
