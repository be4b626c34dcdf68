"""Python functions that call bound names, and the gradients that they pair."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.extract.operators.gradient_names import pair_operators
from crawler.extract.operators.python_code.python_callers import (
    find_python_callers,
    pair_gradients,
)

TEXT = """\
import torch
from . import _C

class Add(Function):
    @staticmethod
    def forward(ctx, a):
        return _C.add_forward(a)

    @staticmethod
    def backward(ctx, a):
        return torch.ops.lib.add_backward(a)

def unrelated(add_forward):
    return add_forward + other.add_forward

async def by_name():
    return getattr(_C, "add_forward")

_C.add_forward(1)
"""
NAMES = ("add_forward", "add_backward")


def test_callers_with_their_classes(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(TEXT)
    callers = find_python_callers(tmp_path, ["a.py", "gone.py"], NAMES)
    assert [(caller.name, caller.class_name) for caller in callers["add_forward"]] == [
        ("Add.forward", "Add"),
        ("by_name", ""),
    ]
    (backward,) = callers["add_backward"]
    assert backward.name == "Add.backward"
    written = TEXT[backward.span.offset : backward.span.end_offset]
    assert written.strip().startswith("@staticmethod\n    def backward")
    assert (backward.span.line, backward.span.end_line) == (9, 11)
    assert pair_gradients(callers) == {
        "add_forward": "add_backward",
        "add_backward": "add_forward",
    }


def test_offsets_count_bytes(tmp_path: Path) -> None:
    text = '"""ä"""\nimport _C\ndef f():\n    return _C.add_forward(1)\n'
    (tmp_path / "a.py").write_text(text, "utf-8")
    (caller,) = find_python_callers(tmp_path, ["a.py"], NAMES)["add_forward"]
    assert text.encode()[caller.span.offset :].startswith(b"def f")


@pytest.mark.parametrize("text", ["def f(:\n", "add_forward = \0", "(" * 3_000])
def test_broken_files_call_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.py").write_text(f"{text} # add_forward")
    assert find_python_callers(tmp_path, ["a.py"], NAMES) == {}


@pytest.mark.parametrize(
    ("names", "pairs"),
    [
        (("roi_forward", "roi_backward"), {"roi_forward": "roi_backward"}),
        (("RoiForward", "RoiBackward"), {"RoiForward": "RoiBackward"}),
        (("fwd", "bwd"), {"fwd": "bwd"}),
        (("add", "add_grad"), {"add": "add_grad"}),
        (("add_fwd", "add_grad"), {"add_fwd": "add_grad"}),
        (("add", "sub"), {}),
    ],
)
def test_operators_are_paired_by_their_names(
    names: tuple[str, ...], pairs: dict[str, str]
) -> None:
    reverse = {gradient: name for name, gradient in pairs.items()}
    assert pair_operators(names, {}) == {**pairs, **reverse}


def test_what_classes_pair_counts_more_than_names() -> None:
    shown_pairs = {"add": "special", "special": "add", "gone": "add"}
    assert pair_operators(("add", "add_grad", "special"), shown_pairs) == {
        "add": "special",
        "special": "add",
    }
