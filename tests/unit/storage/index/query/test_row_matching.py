"""A row in memory is matched as SQL would match it."""

from __future__ import annotations

import pytest

from storage.index.query.parser import parse_query
from storage.index.query.row_matching import matches
from storage.interfaces import KernelRow

ROW = KernelRow(
    digest="ab" * 32,
    name="blur",
    qualified_name="img::blur",
    repo="acme/images",
    url="u",
    commit="c",
    path="src/blur.cu",
    line=10,
    end_line=30,
    offset=240,
    dialect="cuda",
    found_by="ast",
    reason="",
    flags_origin="exported",
    is_template=True,
    superseded=False,
    instantiations=("float", "double"),
    launches=2,
    licence="MIT",
    licence_class="permissive",
    cluster="",
    near_cluster="",
    tags=("trivial", "uses:atomics", "class:stencil"),
    operators=("blur_op",),
    ports=(),
    waves=("any",),
    fidelity={},
    pass_call={"gfx90a": "fail", "sm_80": "pass"},
    pass_exe={"cpu": "consistent"},
    instantiation_exe={"cpu": {"float": "consistent", "double": "not-run"}},
    pass_perf={},
    extents={"cpu": "inferred"},
    oracle={"cpu": "project_tests"},
    strength={"cpu": "strong"},
    mutants_killed={"cpu": 0.9},
    reasons=("compile-error",),
    review="needs-work",
)


def is_match(expression: str) -> bool:
    return matches(ROW, parse_query(expression))


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "blur",
        "LU",
        "name=blur",
        "name=x,blur",
        "lines=21",
        "lines>20",
        "lines<=21",
        "launches>=2",
        "launches=1,2",
        "is_template=yes",
        "superseded=no",
        "tag=trivial",
        "tag=uses:*",
        "tag!=large",
        "class=stencil",
        "class=st*",
        "operator=blur_op",
        "instantiation=double",
        "wave=any",
        "reasons~compile",
        "pass_call=pass",
        "pass_call.sm_80=pass",
        "pass_call.gfx90a!=pass",
        "pass_exe.cpu=consistent",
        "instantiation_exe.cpu=not-run",
        "instantiation_exe=consistent",
        "extents.cpu=inferred,launcher",
        "oracle.cpu=project_tests",
        "strength=strong",
        "-pass_perf=pass",
        "name=blur and lines>3 -tag=large",
        "not name=x",
    ],
)
def test_a_term_that_holds_matches(expression: str) -> None:
    assert is_match(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "blurs",
        "name=BLUR",
        "name=lur",
        "lines=20",
        "lines<21",
        "launches>2",
        "launches=1,3",
        "is_template=no",
        "tag=atomics",
        "-tag=trivial",
        "port=*",
        "pass_call.sm_90=pass",
        "pass_call.gfx90a=pass",
        "pass_call=skipped",
        "instantiation_exe.gfx90a=not-run",
        "instantiation_exe.cpu=fail",
        "extents=unproven",
        "oracle=cpu_simt",
        "strength=weak",
        "pass_perf=pass",
        "name=blur tag=large",
    ],
)
def test_a_term_that_does_not_hold_matches_nothing(expression: str) -> None:
    assert not is_match(expression)


def test_a_verdict_without_a_target_holds_for_any_target() -> None:
    assert is_match("pass_call=fail")
    assert is_match("pass_call=pass")
    # negated, no target may hold
    assert not is_match("pass_call!=fail")
