"""Kernels and launches as a project records them, for tests of what they tell."""

from __future__ import annotations

from crawler.model import Dialect, FlagsOrigin, Kernel, Launch, Layer, Span

SPAN = Span(path="a.cu", line=1, end_line=2, offset=0, end_offset=1)


def make_kernel(**overrides: object) -> Kernel:
    values: dict[str, object] = {
        "name": "k", "qualified_name": "k", "mangled": "", "dialect": Dialect.CUDA, "span": SPAN, "found_by": Layer.AST,
        "reason": "", "source": "", "template_head": "", "parameters": (), "template_parameters": (), "attributes": (),
        "instantiations": (), "launches": (), "flags_origin": FlagsOrigin.EXPORTED,
    }  # fmt: skip
    return Kernel(**(values | overrides))  # type: ignore[arg-type]


def make_launch(**overrides: object) -> Launch:
    values = {"grid": "1", "block": "64"} | overrides
    return Launch(span=SPAN, kernel_name="k", **values)  # type: ignore[arg-type]


def choose_ordinary(_text: str, _names: tuple[str, ...], value: int) -> int:
    return value
