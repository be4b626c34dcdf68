"""Dynamic shared memory that says how large it is: HIP's compiler takes none."""

from __future__ import annotations

import pytest

from crawler.port.port import port_text


def test_the_first_extent_goes_and_the_report_says_so() -> None:
    source = (
        "__global__ void k() {\n  extern __shared__ float tile[32][/* odd */ 33];\n}\n"
    )
    text, report = port_text(source)
    assert "extern __shared__ float tile[][/* odd */ 33];" in text
    (change,) = [change for change in report.changes if change.rule == "dynamic-array"]
    assert (change.line, change.before, change.after) == (2, "[32]", "[]")


@pytest.mark.parametrize(
    "declaration",
    ["__shared__ float s[32];", "extern __shared__ float s[];"],
)
def test_other_arrays_stay(declaration: str) -> None:
    text, _ = port_text(f"__global__ void k() {{ {declaration} }}\n")
    assert declaration in text


def test_a_macro_that_declares_is_changed_too() -> None:
    text, _ = port_text("#define TILE extern __shared__ float s[N]\nint n;\n")
    assert "#define TILE extern __shared__ float s[]" in text
