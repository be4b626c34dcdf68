from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.builds.commands.arch_flags import drop_assumed_archs, parse_offload_archs


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("arch=compute_80,code=sm_80", ("sm_80",)),
        ("arch=compute_80,code=sm_86", ("sm_86",)),
        ("arch=compute_80,code=compute_80", ("sm_80",)),
        ("arch=compute_90a,code=[sm_90a,lto_90a]", ("sm_90a",)),
        ("sm_80,sm_90,sm_80", ("sm_80", "sm_90")),
        ("gfx90a:sramecc+:xnack-", ("gfx90a",)),
        ("gfx9-4-generic", ("gfx9-4-generic",)),
        ("cc80,cuda12.3", ("sm_80",)),
        ("native", ()),
        ("all-major", ()),
        ("asm_80", ()),
        ("sm_8000", ()),
        ("", ()),
    ],
)
def test_archs_are_read_from_a_flags_value(
    value: str, expected: tuple[str, ...]
) -> None:
    assert parse_offload_archs(value) == expected


@given(st.lists(st.sampled_from(["sm_80", "sm_90a", "gfx90a", "gfx1100"]), max_size=6))
def test_each_named_arch_is_there_once_in_its_order(archs: list[str]) -> None:
    assert parse_offload_archs(",".join(archs)) == tuple(dict.fromkeys(archs))


@pytest.mark.parametrize(
    ("named_archs", "expected"),
    [
        (("sm_80",), ()),
        (("gfx90a",), ()),
        (("sm_80", "sm_90"), ("sm_80", "sm_90")),
        (("gfx942",), ("gfx942",)),
        ((), ()),
    ],
)
def test_an_arch_that_we_assumed_is_not_the_projects(
    named_archs: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    assert drop_assumed_archs(named_archs) == expected


def test_archs_that_a_project_did_not_choose_are_none_of_its_words() -> None:
    assert drop_assumed_archs(("sm_80", "gfx90a")) == ()
    assert drop_assumed_archs(("sm_80", "sm_86")) == ("sm_80", "sm_86")
