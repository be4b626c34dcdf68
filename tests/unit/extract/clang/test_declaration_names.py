"""An enumerator among template arguments has one name, wherever it stands in a type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

TEXT = """\
enum Global { g0, g1 };
namespace lib {
enum space { host, device };
enum class kind { a, b };
struct In { enum deep { x, y }; };
namespace { enum hidden { h0, h1 }; }
template <Global V> struct OfGlobal { int v; };
template <space V> struct OfSpace { int v; };
template <kind V> struct OfKind { int v; };
template <In::deep V> struct OfDeep { int v; };
template <hidden V> struct OfHidden { int v; };
template <class... T> struct Pack { int v; };
}
template <class A> __global__ void k(A a, int *o) { o[0] = a.v; }
"""


@pytest.mark.parametrize(
    "argument",
    [
        "lib::OfGlobal<g1>",
        "lib::OfSpace<lib::device>",
        "lib::OfKind<lib::kind::b>",
        "lib::OfDeep<lib::In::y>",
        "lib::OfHidden<lib::h1>",
    ],
)
def test_it_is_called_alike_alone_and_in_a_pack(
    project: Callable[..., Any], argument: str
) -> None:
    assert instantiate(project, argument, f"lib::Pack<{argument}>") == {
        argument,
        f"lib::Pack<{argument}>",
    }


def test_a_value_without_a_name_is_cast(project: Callable[..., Any]) -> None:
    argument = "lib::OfSpace<static_cast<lib::space>(5)>"

    assert instantiate(project, argument) == {argument}


def instantiate(project: Callable[..., Any], *arguments: str) -> set[str]:
    """Return the arguments of a kernel that is launched with values of these types."""
    launches = "".join(f"k<<<1, 1>>>({argument}{{}}, o); " for argument in arguments)
    text = f"{TEXT}void run(int *o) {{ {launches} }}\n"
    [kernel] = project({"a.cu": text}).kernels()
    return {", ".join(item.arguments) for item in kernel.instantiations}
