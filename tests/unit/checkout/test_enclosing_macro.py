"""A source that is empty without a macro is given that macro where its flags are made up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.builds.commands.synthesis import synthesise_command
from crawler.checkout.enclosing_macro import find_enclosing_macro

Plant = Callable[[dict[str, str]], Any]
_KERNEL = "__global__ void k(float* p) { p[0] = 1; }"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            f"// all of it\n#include <a.h>\n#ifdef OPS\n#include <b.h>\n{_KERNEL}\n#endif // OPS\n",
            "OPS",
        ),
        (f"#if defined(OPS)\n#if 1\n{_KERNEL}\n#endif\n#endif", "OPS"),
        (f"#  if defined OPS\n#define F(x) \\\n  x\n{_KERNEL}\n#endif", "OPS"),
        (f"#ifdef OPS\n{_KERNEL}\n#endif\n#ifdef OPS\nint more;\n#endif", "OPS"),
        (f"#ifdef OPS\n{_KERNEL}\n#endif\n#ifdef MORE\nint more;\n#endif", ""),
        (f"#ifdef OPS\n{_KERNEL}\n#else\nint none;\n#endif", ""),
        (f"#ifdef OPS\n{_KERNEL}\n#endif\nint more;", ""),
        (f"#ifndef OPS\n#define OPS\n{_KERNEL}\n#endif", ""),
        (f"#if defined(OPS) && defined(MORE)\n{_KERNEL}\n#endif", ""),
        (f"#ifdef __CUDACC__\n{_KERNEL}\n#endif", ""),
        (f"#if OPS\n{_KERNEL}\n#endif", ""),
        ("#endif\n#else\n", ""),
        (_KERNEL, ""),
        ("", ""),
    ],
)
def test_the_macro_without_which_a_source_says_nothing(
    content: str, expected: str
) -> None:
    assert find_enclosing_macro(content.encode()) == expected


@pytest.mark.parametrize(
    ("macro", "header", "expected"),
    [
        ("OPS", "", ("-DOPS",)),
        ("OPS", "#if 0\n# define OPS 1\n#endif", ()),
        ("USE_ROCM", "", ()),
        ("NO_OPS", "", ()),
    ],
)
def test_it_is_defined_unless_a_header_does_or_it_names_other_devices(
    plant: Plant, macro: str, header: str, expected: tuple[str, ...]
) -> None:
    graph = plant(
        {
            "h.cuh": header,
            "k.cu": f'#include "h.cuh"\n#ifdef {macro}\n{_KERNEL}\n#endif\n',
        }
    )
    assert (
        tuple(
            word
            for word in synthesise_command("k.cu", graph).arguments
            if word.startswith("-D")
        )
        == expected
    )
