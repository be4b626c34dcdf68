"""What a kernel does behind its pointers is told where all of its uses are plain."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.extract.describe.pointer_uses import PointerUse, find_pointer_uses
from crawler.model import Kernel, Parameter
from tests.plain import plain_kernel, plain_unit

READ, WRITTEN = PointerUse.READ, PointerUse.WRITTEN
BOTH = READ | WRITTEN


def make(body: str, before: str = "", kind: str = "float *") -> Kernel:
    source = f"__global__ void k(float *p, float *q, int n) {{ {body} }}"
    kernel = plain_kernel(plain_unit(f"{before}\n{source}"))
    parameters = tuple(
        Parameter(name=name, type=kind, canonical_type=kind, qualifiers=("pointer",))
        for name in ("p", "q")
    )
    return replace(kernel, source=source, parameters=parameters)


def test_the_three_arrays_of_a_triad() -> None:
    uses = find_pointer_uses(make("p[i] = q[i] + s * q[i + 1];"))
    assert uses == {"p": WRITTEN, "q": READ}


@pytest.mark.parametrize(
    ("body", "use"),
    [
        ("float x = p[i];", READ),
        ("if (p[i] == 0 || x < p[i]) return;", READ),
        ("return p[i];", READ),
        ("x = y > p[i] ? 1 : p[2];", READ),
        ("x = fmaxf(p[i], 0.f);", READ),
        ("x = max(p[a[i]], (b)[1]);", READ),
        ("x = __ldg(&p[i]) + __ldg(p);", READ),
        ("x = 2 * *p;", READ),
        ("x = p->y; z = p[i].w;", READ),
        ("if (p != nullptr) x = p[0];", READ),
        ("if (p) x = p[0];", READ),
        ("p += n; x = *p;", READ),
        ("p[i] = 0;", WRITTEN),
        ("p[i][j] = 0;", WRITTEN),
        ("p[i].x = 0;", WRITTEN),
        ("p[i].x[2].y = 0;", WRITTEN),
        ("p->x = 0;", WRITTEN),
        ("*p = 0;", WRITTEN),
        ("if (n) *p = 0;", WRITTEN),
        ("p[q[i]] = 1;", WRITTEN),
        ("p[i] += 1;", BOTH),
        ("p[i] <<= 1;", BOTH),
        ("p[i]++;", BOTH),
        ("++p[i];", BOTH),
        ("p[i] = p[i + 1];", BOTH),
        ("atomicAdd(&p[i], 1.f);", BOTH),
        ("atomicAdd(p, 1.f);", BOTH),
        ("// p = q\np[i] = 0;", WRITTEN),
        ("x.p = q; y->p = q; p[i] = 0;", WRITTEN),
    ],
)
def test_plain_uses_are_understood(body: str, use: PointerUse) -> None:
    assert find_pointer_uses(make(body)).get("p") == use


@pytest.mark.parametrize(
    "body",
    [
        "",
        "float *r = p + i; r[0] = 1;",
        "p = q; x = p[0];",
        "store(p, 1);",
        "load(&p[i]);",
        "float &x = p[i]; x = 1;",
        "swap(p[i], p[j]);",
        "p[i].reset();",
        "p->reset();",
        "if (n) { float p[4]; p[0] = 1; }",
        "x = reinterpret_cast<float4 *>(p)[i];",
        "x = a * p;",
    ],
)
def test_other_uses_leave_it_unknown(body: str) -> None:
    assert "p" not in find_pointer_uses(make(body))


def test_functions_of_the_unit_may_change_what_they_are_passed() -> None:
    body = "change(p[i]); x = look(q[i]);"
    before = "__device__ void change(float &x) { x = 1; }"
    assert find_pointer_uses(make(body, before)) == {"q": READ}


def test_a_macro_that_names_a_pointer_hides_what_is_done_to_it() -> None:
    body = "PUT(0); x = p[1] + q[1];"
    before = "#define PUT(i) \\\n  p[i] = 0"
    assert find_pointer_uses(make(body, before)) == {"q": READ}


def test_a_pointer_to_pointers_is_left_out() -> None:
    assert find_pointer_uses(make("p[i][j] = 0;", kind="float **")) == {}


def test_a_kernel_that_a_macro_writes_shows_nothing() -> None:
    kernel = replace(make(""), source="GENERATE(k, float)")
    assert find_pointer_uses(kernel) == {}
