"""Two pieces of machine code agree, agree but for names and strings, or differ."""

from __future__ import annotations

import pytest

from crawler.model import Fidelity
from crawler.validate.fidelity import comparison
from crawler.validate.fidelity.comparison import Comparison, compare_modules
from crawler.validate.fidelity.ptx_module import PtxModule

UNIT = """
.global .align 1 .b8 _$_str[3] = {97, 98, 0};
.visible .entry _Z5scalePf(
	.param .u64 _Z5scalePf_param_0
)
{
	ld.param.u64 %rd1, [_Z5scalePf_param_0];
	mov.u64 %rd2, _$_str;
	add.s32 %r1, %r1, 1;
	call.uni _Z4helpv, ();
	ret;
}
.func _Z4helpv()
{
	ret;
}
"""


def compare(whole: str, unit: str = UNIT) -> Comparison:
    return compare_modules(PtxModule(unit), PtxModule(whole))


def test_the_same_code_in_another_order_is_identical() -> None:
    first, _, rest = UNIT.partition(".func")
    whole = f".func{rest}\n.visible .entry other()\n{{\n\tret;\n}}\n{first}"

    assert compare(whole) == Comparison(Fidelity.IDENTICAL)


def test_linkage_does_not_count() -> None:
    assert compare(UNIT.replace(".visible", ".weak")).fidelity is Fidelity.IDENTICAL


def test_another_name_of_a_helper_is_equivalent() -> None:
    result = compare(UNIT.replace("_Z4helpv", "_ZL4helpv"))

    assert result == Comparison(Fidelity.EQUIVALENT, "names")


def test_another_string_is_equivalent_and_told() -> None:
    result = compare(UNIT.replace("{97, 98, 0}", "{97, 99, 0}"))

    assert result == Comparison(Fidelity.EQUIVALENT, "names, strings")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("add.s32 %r1, %r1, 1;", "add.s32 %r1, %r1, 2;"),
        ("\tadd.s32 %r1, %r1, 1;\n", ""),
        ("_Z5scalePf_param_0];", "_Z5scalePf_param_1];"),
    ],
)
def test_another_instruction_is_different_and_shown(old: str, new: str) -> None:
    result = compare(UNIT.replace(old, new))

    assert result.fidelity is Fidelity.DIFFERENT
    assert "_Z5scalePf" in result.difference


def test_a_helper_that_was_inlined_is_different() -> None:
    inlined = UNIT.replace("\tcall.uni _Z4helpv, ();\n", "")

    assert compare(inlined).fidelity is Fidelity.DIFFERENT


def test_a_difference_within_a_helper_counts() -> None:
    changed = UNIT.replace("()\n{\n\tret;", "()\n{\n\ttrap;\n\tret;")

    assert compare(changed).fidelity is Fidelity.DIFFERENT


def test_two_helpers_in_exchanged_roles_are_different() -> None:
    two = UNIT.replace(
        "call.uni _Z4helpv, ();", "call.uni _Z4helpv, ();\n\tcall.uni _Z4takev, ();"
    )
    two += ".func _Z4takev()\n{\n\ttrap;\n}\n"
    exchanged = (
        two.replace("_Z4helpv, ", "_TMP, ")
        .replace("_Z4takev, ", "_Z4helpv, ")
        .replace("_TMP, ", "_Z4takev, ")
    )

    assert compare(exchanged, two).fidelity is Fidelity.DIFFERENT


def test_a_kernel_in_an_anonymous_namespace_is_found_by_its_name() -> None:
    whole = UNIT.replace("_Z5scalePf", "_ZN12_GLOBAL__N_15scaleEPf")

    assert compare(whole).fidelity is Fidelity.EQUIVALENT


def test_a_kernel_that_the_whole_lacks_is_not_comparable() -> None:
    result = compare(".visible .entry _Z5otherv()\n{\n\tret;\n}\n")

    assert result.fidelity is Fidelity.NOT_COMPARABLE


def test_the_worst_of_several_kernels_counts() -> None:
    second = UNIT.replace("_Z5scalePf", "_Z5scalePd").split(".func")[0].split("};")[1]
    unit = UNIT + second
    whole = unit.replace("[_Z5scalePd_param_0]", "[_Z5scalePd_param_0+8]")

    assert compare(whole, unit).fidelity is Fidelity.DIFFERENT


def test_kernels_that_share_too_much_code_are_not_compared_for_hours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    renamed = UNIT.replace("_Z4helpv", "_ZL4helpv")
    monkeypatch.setattr(comparison, "_MAX_RENAMED_CHARACTERS", len(UNIT))

    assert compare(UNIT).fidelity is Fidelity.IDENTICAL
    assert compare(renamed).fidelity is Fidelity.NOT_COMPARABLE
