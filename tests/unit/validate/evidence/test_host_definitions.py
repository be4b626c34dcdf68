"""Which of a function's definitions are seen at a launch in it."""

from __future__ import annotations

from dataclasses import replace

from crawler.model import (
    Dialect,
    FlagsOrigin,
    HostCode,
    Kernel,
    Launch,
    Layer,
    OperatorRole,
    Span,
)
from crawler.validate.evidence.host_definitions import find_visible_definitions
from crawler.validate.evidence.recorded_launch_site import build_launch_site

_FUNCTION = """void run(int m, int n) { // größer
  int rows = 0;
  if (m > 128) {
    dim3 block(256);
    dim3 grid(n / 128, split);
    rows = 7;
    wide<<<grid, block>>>(n);
    return;
  }
  dim3 block(64);
  dim3 grid(n / 32);
  narrow<<<grid, block>>>(n);
}
"""


def test_what_was_declared_in_a_block_that_ended_is_not_seen() -> None:
    definitions = find_visible_definitions(_FUNCTION[: _FUNCTION.index("narrow")])
    assert definitions["block"] == "dim3(64)"
    assert definitions["grid"] == "dim3(n / 32)"
    assert definitions["rows"] == "7"


def test_a_declaration_in_an_inner_block_hides_the_outer_one() -> None:
    definitions = find_visible_definitions(
        "void f() { int threads = 32; for (int i = 0; i < n; i++) { int threads = 64; if (a) { int t = 1; }"
    )
    assert definitions["threads"] == "64"


def test_what_is_first_given_in_a_block_to_an_outer_name_stays() -> None:
    definitions = find_visible_definitions(
        "void f() { dim3 grid; int k; if (a) { k = 4; grid.x = n; } else { k = 5; }"
    )
    assert (definitions["k"], definitions["grid.x"]) == ("4", "n")


def test_blocks_in_blocks_without_end_tell_nothing() -> None:
    assert find_visible_definitions("void f() { int k = 2; " + "{" * 100_000) == {}


def test_each_launch_of_a_function_has_the_block_that_stands_before_it() -> None:
    span = Span(
        path="a.cu",
        line=1,
        end_line=13,
        offset=100,
        end_offset=100 + len(_FUNCTION.encode()),
    )
    host = HostCode(role=OperatorRole.LAUNCHER, name="run", span=span, source=_FUNCTION)
    assert [_block(name, host) for name in ("wide", "narrow")] == [
        (256, 1, 1),
        (64, 1, 1),
    ]


def _block(name: str, host: HostCode) -> tuple[int, int, int]:
    offset = 100 + len(_FUNCTION.partition(f"{name}<<<")[0].encode())
    place = replace(host.span, offset=offset, end_offset=offset + 10)
    launch = Launch(
        span=place, kernel_name=name, grid="grid", block="block", enclosing="run"
    )
    kernel = Kernel(
        name=name, qualified_name=name, mangled="", dialect=Dialect.CUDA, span=place, found_by=Layer.AST,
        reason="", source="", template_head="", parameters=(), template_parameters=(), attributes=(),
        instantiations=(), launches=(launch,), flags_origin=FlagsOrigin.EXPORTED, host=(host,),
    )  # fmt: skip
    return (
        build_launch_site(kernel, launch, None, "")
        .configure([], lambda _text, _names, value: value, 1 << 14)
        .block
    )


def test_each_name_of_a_list_of_declarators_has_its_own_value() -> None:
    definitions = find_visible_definitions(
        "dim3 block(16, 8), grid((n + 15) / 16, rows); int a = 1 + n, b = 2 * n;"
    )
    assert definitions["block"] == "dim3(16 , 8)"
    assert definitions["grid"] == "dim3(( n + 15 ) / 16 , rows)"
    assert (definitions["a"], definitions["b"]) == ("1 + n", "2 * n")


def test_the_runtime_gives_a_pitch_of_whole_lines() -> None:
    text = """void run(int width, int height) {
  char* rows; size_t pitch = 0;
  CHECK(cudaMallocPitch(&rows, &pitch, width * sizeof(float), height));
"""
    definitions = find_visible_definitions(text)
    assert definitions["pitch"] == "((width * sizeof ( float )) + 511) / 512 * 512"
    chosen = find_visible_definitions(
        text.replace("width * sizeof(float)", "wide ? 8 : 4")
    )
    # the sum is not part of the last branch
    assert chosen["pitch"] == "((wide ? 8 : 4) + 511) / 512 * 512"
