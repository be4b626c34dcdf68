"""What an unknown name must be, as far as the text that uses it tells."""

from __future__ import annotations

import time

import pytest

from crawler.extract.unit.missing_headers.assumed_types import (
    assume_type,
    assume_types,
    find_unknown_names,
)


@pytest.mark.parametrize(
    ("name", "text", "declaration"),
    [
        ("lib_n", "void f(lib_n n, int *x) { x[n] = 0; }", "typedef int lib_n;"),
        ("lib_n", "void f(lib_n n, int *x) { *x = n % 3; }", "typedef int lib_n;"),
        ("lib_n", "for (lib_n i = 0; i < 4; ++i) g();", "typedef int lib_n;"),
        (
            "lib_n",
            "void f(const lib_n n) { if (blockIdx.x * blockDim.x + threadIdx.x < n) g(); }",
            "typedef int lib_n;",
        ),
        # what libraries call integers
        (
            "lib_stride",
            "T *f(T *p, lib_stride s) { return p + s; }",
            "typedef long long lib_stride;",
        ),
        ("lib_int", "void f(lib_int n) { g(n); }", "typedef int lib_int;"),
        ("IndexType", "void f(IndexType n) { g(n); }", "typedef int IndexType;"),
        # a name alone
        ("Handle", "void f(Handle *h, int *x) { g(h); }", "struct Handle;"),
        ("Handle", "void f(const Handle &h) { g(h); }", "struct Handle;"),
        ("Handle", "void f(Handle h) { g(h); }", "struct Handle {};"),
        ("Handle", "void f(int n, Handle const, int *x);", "struct Handle;"),
        ("Handle", "void f(int n, Handle\n  const\n  *h) { g(h); }", "struct Handle;"),
        # more than a name is needed, and nobody knows it
        ("Shape", "void f(Shape s, int *x) { x[0] = s.width; }", ""),
        ("Shape", "void f(Shape *s, int *x) { x[0] = s->width; }", ""),
        ("real", "void f(real y, float *x) { x[0] = y * 2.5f; }", ""),
        ("real", "void f(real y, float *x) { x[0] = sqrtf(y); }", ""),
        ("real", "void f(real *y, int i) { y[i] = 0; }", ""),
        ("real", "void f(real *y) { *y = 0; }", ""),
        # no type at all
        ("lib_upper", "void f(int uplo) { if (uplo == lib_upper) g(); }", ""),
        ("lib_size", "// a lib_size n, in words\nvoid f() { g(lib_size); }", ""),
    ],
)
def test_a_type_is_assumed_by_its_uses(name: str, text: str, declaration: str) -> None:
    assert assume_type(name, text) == declaration


def test_what_the_project_declares_is_not_unknown() -> None:
    messages = [
        "unknown type name 'lib_int'; did you mean 'int'?",
        "use of undeclared identifier 'Own'",
        "no member named 'x' in 'S'",
        "unknown type name 'lib_int'",
    ]
    assert find_unknown_names(messages, {"Own"}) == ["lib_int"]


def test_of_a_whole_unit_the_parts_that_name_a_type_tell_of_it() -> None:
    text = (
        "void f(lib_n n, int *x) { x[n] = 0; }\n}\nvoid g(Own n) { n.member = 1; }\n}\n"
    )
    messages = ["unknown type name 'lib_n'", "unknown type name 'Later'"]
    later = "struct Later { int a; };\nvoid h(Later *l) { g(l); }\n}\n"
    assert assume_types(messages, text + later) == {"lib_n": "typedef int lib_n;"}


@pytest.mark.parametrize(
    "declaration",
    [
        "struct lib_t { int a; };",
        "enum class lib_t { a };",
        "template <typename struct lib_t> void f();",
        "using lib_t = int;",
        "typedef struct tag *other, lib_t ;",
        "typedef int typedef_name; typedef long lib_t;",
        "#define lib_t int",
        "#define enum lib_t",
    ],
)
def test_what_a_unit_declares_itself_is_not_assumed(declaration: str) -> None:
    text = f"{declaration}\nvoid g(lib_t x);\n"
    assert assume_types(["unknown type name 'lib_t'"], text) == {}


def test_a_type_that_ends_no_typedef_is_assumed() -> None:
    text = "typedef int other; extern lib_t;\nvoid g(lib_t *x);\n"
    assumed = assume_types(["unknown type name 'lib_t'"], text)
    assert assumed == {"lib_t": "struct lib_t;"}


@pytest.mark.timeout(60)
def test_much_text_takes_no_long_time() -> None:
    functions = "".join(
        f"void f{n}(lib_t v{n}, int *x) {{ x[0] = v{n} - threadIdx.x; }}\n}}\n"
        for n in range(20_000)
    )
    names = [f"unknown type name 'lib_{n}'" for n in range(300)]
    assumed = assume_types(["unknown type name 'lib_t'", *names], functions)
    assert assumed == {"lib_t": "typedef int lib_t;"}


# what takes minutes where the time grows with the square of the text
HOSTILE = {
    "blanks behind a name": "lib_t" + " " * 120_000 + "!",
    "qualifiers behind a name": "lib_t" + " const" * 20_000 + "!",
    "blanks behind keywords": "enum" + " " * 60_000 + "class" + " " * 60_000 + "!",
    "ends of typedefs": "typedef " + "lib_t " * 20_000 + ";",
    "typedefs": "typedef " * 60_000 + "lib_t",
    "subscripts": "void f(lib_t n) {\n" + "[" + "n " * 60_000,
    "thread numbers": "void f(lib_t n) {\n" + "threadIdx n " * 10_000,
    "variables": "void f(lib_t n) {\n" + "n + " * 30_000,
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_takes_no_long_time(text: str) -> None:
    seconds = time.process_time()
    assume_types(["unknown type name 'lib_t'"], text)
    assert time.process_time() - seconds < 4


def test_integers_of_a_width_are_what_their_names_say() -> None:
    messages = [
        "no member named 'int16' in the global namespace",
        "no type named 'uint64' in the global namespace",
        "no member named 'Table' in the global namespace",
    ]
    # under a condition that does not hold
    text = "#if VERSION > 2\ntypedef int16_t int16;\n#endif\nusing ::int16;\n"
    assert assume_types(messages, text) == {
        "int16": "typedef __INT16_TYPE__ int16;",
        "uint64": "typedef __UINT64_TYPE__ uint64;",
    }
    use = "void f(uint8 *x, uint8 n) { x[n] = 0; }"
    assert assume_type("uint8", use) == "typedef __UINT8_TYPE__ uint8;"
