"""What every validator must do, whichever plugins there are."""

from __future__ import annotations

import hashlib

import pytest

from crawler.model import Dialect, KernelUnit, Status
from crawler.plugins import load_plugins
from crawler.validate.build import target_dialect
from crawler.validate.validator_interface import Validator

PRELUDES = {Dialect.CUDA: "kernelset/cuda.cuh", Dialect.HIP: "kernelset/hip.h"}
PAIRS = [
    pytest.param(validator, dialect, target, id=f"{validator.name}-{target}")
    for validator in load_plugins("crawler.validate.compilers")
    for dialect in Dialect
    for target in validator.targets(dialect)[:1]
]


def unit(dialect: Dialect, body: str) -> KernelUnit:
    source = (
        f"#include <{PRELUDES[dialect]}>\n__global__ void k(float* a) {{ {body} }}\n"
    )
    return KernelUnit(
        source=source,
        dialect=dialect,
        kernel_name="k",
        instantiations=(),
        prelude="",
        digest=hashlib.sha256(source.encode()).hexdigest(),
        token_digest="",
    )


def test_there_is_one() -> None:
    assert load_plugins("crawler.validate.compilers")


@pytest.mark.parametrize(
    "validator",
    load_plugins("crawler.validate.compilers"),
    ids=lambda validator: validator.name,
)
def test_targets_are_of_the_dialect(validator: Validator) -> None:
    for dialect in Dialect:
        assert {target_dialect(target) for target in validator.targets(dialect)} <= {
            dialect
        }


@pytest.mark.parametrize(("validator", "dialect", "target"), PAIRS)
def test_a_good_unit_passes_with_its_record(
    validator: Validator, dialect: Dialect, target: str
) -> None:
    good = unit(dialect, "a[threadIdx.x] = 1.0f;")
    made = validator.build(good, target)
    assert made.build.pass_call.status is Status.PASS, made.build.diagnostics
    assert made.build.pass_call.code == ""
    assert (made.build.unit, made.build.target) == (good.digest, target)
    assert made.build.form in ("code", "ptx")
    assert made.build.object_digest == hashlib.sha256(made.object).hexdigest()
    assert any("k" in symbol for symbol in made.build.symbols)
    assert made.build.toolchain.compiler
    assert made.build.toolchain.digest
    assert made.build.seconds > 0
    if made.build.form == "code":
        assert [used.symbol for used in made.build.resources] == list(
            made.build.symbols
        )
        assert all(
            used.registers > 0 and used.occupancy > 0 for used in made.build.resources
        )


@pytest.mark.parametrize(("validator", "dialect", "target"), PAIRS)
@pytest.mark.parametrize(
    "body", ["a[0] = nobody_knows;", "}", '#include "/nowhere/at/all.h"\n', "\0\x01"]
)
def test_a_bad_unit_is_a_value(
    validator: Validator, dialect: Dialect, target: str, body: str
) -> None:
    made = validator.build(unit(dialect, body), target)
    assert made.build.pass_call.status is Status.FAIL
    assert made.build.pass_call.code
    assert made.build.pass_call.message
    assert made.object == b""
    assert 0 < len(made.build.diagnostics) <= 50
