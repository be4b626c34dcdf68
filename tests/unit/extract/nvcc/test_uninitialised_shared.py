"""Classes with constructors in shared memory, of which nvcc only warns."""

from __future__ import annotations

import pytest

from crawler.extract.nvcc.uninitialised_shared import leave_uninitialised


def memory_of(name: str, kind: str) -> str:
    return (
        f"using {name}_shared = {kind}; "
        f"alignas({name}_shared) __shared__ unsigned char {name}_memory[sizeof({name}_shared)]; "
        f"{name}_shared& {name} = reinterpret_cast<{name}_shared&>({name}_memory);"
    )


@pytest.mark.parametrize(
    ("declaration", "bound"),
    [
        ("__shared__ Voxel v;", memory_of("v", "Voxel")),
        ("static __shared__ ns::A<int, 2> a[N][2 * M];", memory_of("a", "ns::A<int, 2>[N][2 * M]")),
        ("__shared__ typename T::Sum a[4], b;", memory_of("a", "typename T::Sum[4]") + " " + memory_of("b", "typename T::Sum")),
        ("__shared__\n  Voxel v\n  [2];", memory_of("v", "Voxel\n  [2]")),
    ],
)  # fmt: skip
def test_a_reference_is_bound_to_memory_of_its_size(
    declaration: str, bound: str
) -> None:
    text = f"void k() {{\n  {declaration} use(v); }}"
    assert leave_uninitialised(text, {2}) == text.replace(declaration, bound)


@pytest.mark.parametrize(
    "text",
    [
        "int x;\n__shared__ Voxel v;",
        "extern __shared__ Voxel v[];",
        "__shared__ Voxel v(3);",
        "__shared__ int v = 3;",
        "__shared__ ;",
        "__shared__ v;",
        "__shared__ Voxel v",
        "#define V __shared__ Voxel v;",
        "__shared__ Voxel ]];",
    ],
)
def test_what_stands_elsewhere_or_is_written_otherwise_is_left(text: str) -> None:
    assert leave_uninitialised(text, {1}) == text
