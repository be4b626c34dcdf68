"""Names that are renamed: whole ones, where they mean CUDA's."""

from __future__ import annotations

import pytest

from crawler.cpp.masked.masked_source import MaskedSource
from crawler.hip.predefined_macros import NEVER_DEFINED_MACRO
from crawler.port.passes.rename_names import PLUGIN


def list_renamed(text: str, *, is_whole_file: bool = True) -> list[tuple[str, str]]:
    edits = PLUGIN.find_edits(MaskedSource(text), is_whole_file=is_whole_file)
    return [(edit.before, edit.after) for edit in sorted(edits)]


@pytest.mark.parametrize(
    ("text", "renamed"),
    [
        ("cublasSgemm(h);", [("cublasSgemm", "hipblasSgemm")]),
        ("CUBLAS_OP_N", [("CUBLAS_OP_N", "HIPBLAS_OP_N")]),
        (
            "cudaDevAttrWarpSize",
            [("cudaDevAttrWarpSize", "hipDeviceAttributeWarpSize")],
        ),
        ("nvrtcGetPTX(p, s);", [("nvrtcGetPTX", "hiprtcGetCode")]),
        ("cublasing(x);", []),
        ("my_cudaMalloc(x);", []),
        ("x.cudaFree(p->cudaFree, cudaFree);", [("cudaFree", "hipFree")]),
        ('f("cudaFree"); // cudaFree', []),
        ("hipFree(p);", []),
    ],
)
def test_names_of_the_toolkit_and_its_libraries(
    text: str, renamed: list[tuple[str, str]]
) -> None:
    assert list_renamed(text) == renamed


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("cub::Sum s;", 1),
        ("f(::cub::Sum());", 1),
        ("return ::cub::Sum();", 1),
        ("cub ::Sum s;", 1),
        ("using namespace cub;", 1),
        ("namespace c = cub;", 1),
        ("namespace c = ::cub;", 1),
        ("using namespace ::cub;", 1),
        ("typename ::cub::Sum<T> s;", 1),
        ("mine::cub::Sum s;", 0),
        ("int cub = 3;", 0),
        ("x = cub;", 0),
        ("f(cub);", 0),
        ("a.cub::b;", 0),
    ],
)
def test_a_namespace_is_renamed_where_it_names_one(text: str, count: int) -> None:
    assert list_renamed(text) == [("cub", "hipcub")] * count


def test_a_unit_keeps_shut_what_is_for_hip_and_a_file_does_not() -> None:
    text = "#ifdef __HIPCC__\n#endif\n"
    assert list_renamed(text, is_whole_file=True) == []
    shut = [("__HIPCC__", NEVER_DEFINED_MACRO)]
    assert list_renamed(text, is_whole_file=False) == shut


def test_a_unit_asks_its_own_toolkit_for_versions() -> None:
    text = "#if CUDA_VERSION >= 11000\n#endif\n"
    assert list_renamed(text, is_whole_file=True) == []
    own = [("CUDA_VERSION", "KERNELSET_CUDA_VERSION")]
    assert list_renamed(text, is_whole_file=False) == own


def test_a_type_that_both_have_is_kept_where_a_file_speaks_hip() -> None:
    own = [("__half_raw", "kernelset_half_raw")]
    assert list_renamed("__half_raw r;") == own
    assert list_renamed("__half_raw r; hipError_t e;") == []
    assert list_renamed("__half_raw r; hipError_t e;", is_whole_file=False) == own
