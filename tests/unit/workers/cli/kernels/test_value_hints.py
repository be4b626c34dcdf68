"""A query without an answer says which of its values nobody has, and what they may mean."""

from __future__ import annotations

import pytest

from crawler.model import Instantiation, Licence, LicenceClass, Status
from storage.in_memory.index import InMemoryKernelIndex
from storage.interfaces import KernelIndex
from tests.unit.storage.samples import REPO, make_build, make_kernel, make_unit
from workers.cli.kernels import value_hints
from workers.cli.kernels.value_hints import iter_value_hints


@pytest.fixture
def index() -> KernelIndex:
    index = InMemoryKernelIndex()
    licence = Licence(spdx="Apache-2.0", kind=LicenceClass.PERMISSIVE)
    index.put_kernels(
        REPO,
        [
            make_kernel("roi_align", 1, tags=("template",), licence=licence),
            make_kernel("roi_align", 2, tags=("template",), licence=licence),
            make_kernel("nms", 3, tags=("uses:atomics",), licence=licence),
            make_kernel(
                "lonely",
                4,
                licence=licence,
                instantiations=(Instantiation(arguments=("float",), label="float"),),
            ),
        ],
    )
    return index


@pytest.mark.parametrize(
    ("expression", "hints"),
    [
        ("", []),
        ("name = nms", []),
        ("name = nms2", ["no kernel has the name `nms2`: did you mean `nms`?"]),
        ("name = zzzzzzzz", ["no kernel has the name `zzzzzzzz`"]),
        ("licence = apache-2.0", ["no kernel has the licence `apache-2.0`: did you"]),
        (
            "tag = templat",
            ["no kernel has the tag `templat`: did you mean `template`?"],
        ),
        ("instantiation = flaot", ["no kernel has the instantiation `flaot`"]),
        # what stands in a bracket or behind `not` is looked at, too
        ("not (name = nns or tag = template)", ["no kernel has the name `nns`"]),
        ("name = nns tag = templat", ["name `nns`", "tag `templat`"]),
        ("name = nms,nns,nmm", ["`nns`", "`nmm`"]),
    ],
)
def test_a_value_that_no_kernel_has_is_said(
    index: KernelIndex, expression: str, hints: list[str]
) -> None:
    value_hints = list(iter_value_hints(index, expression))
    assert len(value_hints) == len(hints)
    assert all(
        hint in sentence for hint, sentence in zip(hints, value_hints, strict=True)
    )


@pytest.mark.parametrize(
    "expression",
    [
        # a pattern and a part of a text may match nothing without being a mistake
        "name = zzz*",
        "name ~ zzz",
        "zzz",
        # numbers, flags and words of a fixed set were checked when they were read
        "lines > 900",
        "superseded = yes",
        "dialect = hip",
        "pass_call.sm_80 = pass",
        "text:zzz",
    ],
)
def test_what_is_no_exact_word_has_no_hint(index: KernelIndex, expression: str) -> None:
    assert list(iter_value_hints(index, expression)) == []


def test_an_empty_index_has_no_hints() -> None:
    assert list(iter_value_hints(InMemoryKernelIndex(), "name = a")) == []


def test_a_rare_value_is_there_however_many_are_more_frequent(
    index: KernelIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(value_hints, "_MAX_VALUES", 1)
    assert list(iter_value_hints(index, "name = lonely")) == []
    # only the frequent ones are proposed, which costs the same in an index of any size
    assert list(iter_value_hints(index, "name = lonelyy")) == [
        "no kernel has the name `lonelyy`"
    ]
    (hint,) = iter_value_hints(index, "name = roi_aling")
    assert hint.endswith("did you mean `roi_align`?")


def test_a_value_cannot_act_on_the_terminal(index: KernelIndex) -> None:
    (hint,) = iter_value_hints(index, 'name = "\x1b[31m\nred"')
    assert "\x1b" not in hint
    assert "\n" not in hint


def test_a_field_that_is_called_nearly_the_same_may_be_meant() -> None:
    index = InMemoryKernelIndex()
    unit = make_unit("a")
    index.put_kernels(REPO, [make_kernel("a", 1, reason="unread-file", unit=unit)])
    index.put_builds([make_build(unit, "sm_80", status=Status.FAIL)])
    assert list(iter_value_hints(index, "reason = bad")) == [
        "no kernel has the reason `bad`: did you mean `reasons = bad`?"
    ]
    assert list(iter_value_hints(index, "reasons = unread-file")) == [
        "no kernel has the reasons `unread-file`: did you mean `reason = unread-file`?"
    ]
    assert list(iter_value_hints(index, "reason = elsewhere")) == [
        "no kernel has the reason `elsewhere`"
    ]
