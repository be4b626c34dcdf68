"""A module of LLVM's IR is read as functions, variables and types, apart from their numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.model import Fidelity
from crawler.validate.fidelity.comparison import compare_modules
from crawler.validate.fidelity.ir_module import IrModule

MODULE = """; ModuleID = 'unit.cu'
%struct.anon.3 = type { i32, float }

$_Z4helpv = comdat any

@.str = private unnamed_addr constant [3 x i8] c"ab\\00", align 1
@table = dso_local addrspace(4) externally_initialized global [4 x i32] zeroinitializer, align 4

; Function Attrs: convergent
define dso_local void @_Z5scalePf(ptr noundef %0) #0 {
  %2 = alloca %struct.anon.3, align 4
  call void asm sideeffect "membar.gl;", ""() #1, !srcloc !4
  br label %3, !llvm.loop !5
3:                                                ; preds = %1, %3
  call void @_Z4helpv() #0
  %4 = load i32, ptr addrspace(4) @table, align 4, !tbaa !7
  ret void
}

define linkonce_odr dso_local void @_Z4helpv() #0 comdat {
  %1 = getelementptr i8, ptr @.str, i64 1
  ret void
}

define internal void @unused() {
  ret void
}

attributes #0 = { convergent "target-cpu"="sm_80" }
attributes #1 = { nounwind }

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @_Z5scalePf, !"kernel", i32 1}
!1 = !{ptr @_Z5scalePf, !"maxntidx", i32 256}
!4 = !{i64 2147552269}
!5 = distinct !{!5, !6}
!6 = !{!"llvm.loop.unroll.enable"}
!7 = !{!8, !8, i64 0}
!8 = !{!"_ZTSN12_GLOBAL__N_11AE", i64 0}
"""


def compare(changed: str) -> Fidelity:
    return compare_modules(IrModule(MODULE), IrModule(changed)).fidelity


def test_functions_variables_and_types_are_found_by_name() -> None:
    module = IrModule(MODULE)

    names = {"@_Z5scalePf", "@_Z4helpv", "@unused", "@.str", "@table", "%struct.anon.3"}
    assert set(module.items) == names
    assert module.entries == ["@_Z5scalePf"]
    assert module.items["@.str"].is_text
    assert not module.items["@table"].is_text


def test_a_kernel_of_a_newer_clang_is_one_by_its_convention() -> None:
    text = "define ptx_kernel void @scale() {\n  ret void\n}\n"

    assert IrModule(text).entries == ["@scale"]


def test_an_entry_leads_to_what_it_and_its_callees_name() -> None:
    reached = IrModule(MODULE).reachable_items("@_Z5scalePf")

    assert [item.name for item in reached] == [
        "@_Z5scalePf",
        "%struct.anon.3",
        "@_Z4helpv",
        "@table",
        "@.str",
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("!srcloc !4", "!srcloc !6"),
        ("linkonce_odr dso_local", "internal"),
        ("; preds = %1, %3", "; preds = %3, %1"),
    ],
)
def test_places_linkage_and_comments_do_not_count(old: str, new: str) -> None:
    assert compare(MODULE.replace(old, new)) is Fidelity.IDENTICAL


def test_numbers_of_the_module_do_not_count() -> None:
    renumbered = MODULE.replace("#0", "#9").replace("!5", "!15").replace("!7", "!17")

    assert compare(renumbered) is Fidelity.IDENTICAL


def test_the_name_of_a_type_without_one_does_not_count() -> None:
    assert compare(MODULE.replace("anon.3", "anon")) is Fidelity.EQUIVALENT


def test_the_namespace_of_an_aliased_type_does_not_count() -> None:
    assert compare(MODULE.replace("N12_GLOBAL__N_11AE", "1A")) is Fidelity.IDENTICAL


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("align 4, !tbaa", "align 2, !tbaa"),
        ("{ i32, float }", "{ i32, double }"),
        ("unroll.enable", "unroll.disable"),
        ('!"maxntidx", i32 256', '!"maxntidx", i32 128'),
        ("{ nounwind }", "{ nounwind willreturn }"),
        ("zeroinitializer", "[i32 1, i32 2, i32 3, i32 4]"),
        ("i64 1\n", "i64 2\n"),
    ],
)
def test_what_the_code_says_counts(old: str, new: str) -> None:
    assert compare(MODULE.replace(old, new)) is Fidelity.DIFFERENT


def test_nodes_that_name_each_other_often_are_read_in_time() -> None:
    nodes = "".join(
        f"!{number} = !{{{', '.join([f'!{number + 1}'] * 9)}}}\n"
        for number in range(10, 30)
    )
    text = f"define ptx_kernel void @k() {{\n  ret void, !x !10\n}}\n{nodes}"

    assert IrModule(text).entries == ["@k"]


@given(st.text(alphabet='define!{}@%#"=: 0\n', max_size=300))
def test_any_text_is_read_without_an_error(text: str) -> None:
    module = IrModule(text)
    for entry in module.entries:
        assert module.reachable_items(entry)
