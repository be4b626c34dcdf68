"""The tables: no rule undoes or repeats another, and what they write is what HIP has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from crawler import headers
from crawler.port.port import port_text
from crawler.port.tables import (
    COMPATIBILITY_NAMES,
    RENAMED_HEADER_FOLDERS,
    RENAMED_HEADERS,
    RENAMED_NAMES,
    RENAMED_NAMESPACES,
    TABLES_BY_RULE,
    libraries,
)
from crawler.port.tables.host_api import NEWER_DRIVER, NEWER_RUNTIME
from crawler.ptx.instruction_tables import HIP_FUNCTIONS, REGISTER_FUNCTIONS
from crawler.toolchains import discovery

HIP_TREE = headers.ROOT / "hip"


def test_no_name_stands_in_two_tables() -> None:
    assert sum(len(table) for table in TABLES_BY_RULE.values()) == len(
        {name for table in TABLES_BY_RULE.values() for name in table}
    )


def test_no_rule_applies_to_what_a_rule_has_written() -> None:
    written = {new for _, new in RENAMED_NAMES.values()} | set(
        RENAMED_NAMESPACES.values()
    )
    assert not written & (set(RENAMED_NAMES) | set(RENAMED_NAMESPACES))
    included = set(RENAMED_HEADERS.values()) | set(RENAMED_HEADER_FOLDERS.values())
    assert not included & set(RENAMED_HEADERS)
    assert not [
        header
        for header in included
        if header.startswith(tuple(RENAMED_HEADER_FOLDERS))
    ]


def test_names_are_identifiers() -> None:
    for old, (_, new) in RENAMED_NAMES.items():
        assert re.fullmatch(r"[A-Za-z_]\w*", old)
        assert re.fullmatch(r"[A-Za-z_]\w*", new)


@pytest.mark.parametrize(
    ("cuda", "hip"),
    [
        ("cublasSgemm", "hipblasSgemm"),
        ("cublasLtMatmul", "hipblasLtMatmul"),
        ("CUBLAS_OP_N", "HIPBLAS_OP_N"),
        ("CUBLASLT_MATMUL_DESC_TRANSA", "HIPBLASLT_MATMUL_DESC_TRANSA"),
        ("cusparseCreate", "hipsparseCreate"),
        ("nvrtcGetPTX", "hiprtcGetCode"),
        ("NVRTC_SUCCESS", "HIPRTC_SUCCESS"),
        ("cudaDevAttrWarpSize", "hipDeviceAttributeWarpSize"),
        ("CUDA_R_16F", "HIP_R_16F"),
        ("cublas_handle", "cublas_handle"),
        ("my_cublasSgemm", "my_cublasSgemm"),
        ("curandom", "curandom"),
    ],
)
def test_a_family_of_names_differs_in_its_beginning(cuda: str, hip: str) -> None:
    assert libraries.rename_library_symbol(cuda) == hip
    assert libraries.rename_library_symbol(hip) == hip


def test_a_library_goes_by_its_family_in_a_source(tmp_path: Path) -> None:
    text = '#include <cublas_v2.h>\ncublasStatus_t s = cublasSetStream(h, st); puts("cublasSetStream");\n'
    ported, report = port_text(text)
    assert ported == (
        "#include <hip/hip_runtime.h>\n#include <hipblas/hipblas.h>\n"
        'hipblasStatus_t s = hipblasSetStream(h, st); puts("cublasSetStream");\n'
    )
    assert {change.rule for change in report.changes} == {"header", "library"}


def test_every_name_that_the_compatibility_header_promises_is_in_it() -> None:
    text = "\n".join(path.read_text() for path in (HIP_TREE / "kernelset").glob("*.h"))
    defined = set(re.findall(r"\w+", text)) | {
        f"atomic{name}_block" for name in ("Add", "CAS")
    }
    assert defined >= COMPATIBILITY_NAMES


def test_every_function_for_inline_assembly_is_in_the_header() -> None:
    text = "\n".join(
        path.read_text() for path in (HIP_TREE / "kernelset").glob("hip_ptx*.h")
    )
    for function in {*HIP_FUNCTIONS.values(), *REGISTER_FUNCTIONS.values()}:
        name = function.partition("<")[0]
        assert re.search(rf"\b{name}\(", text), function


@pytest.mark.apt
def test_runtime_names_are_names_of_hip() -> None:
    rocm = discovery.find_rocm()
    assert rocm is not None
    text = "\n".join(
        path.read_text(errors="replace") for path in _runtime_headers(rocm.include)
    )
    hip_names = set(re.findall(r"\bhip\w+", text))
    # newer than the oldest HIP that we compile against
    newer = {
        "hipLaunchHostFunc",
        "hipDataType",
        "hipMemoryTypeManaged",
        "hipMemoryTypeUnregistered",
        "hipOccupancyDisableCachingOverride",
        "hipDrvGetErrorName",
        "hipDrvGetErrorString",
        "hipErrorInvalidChannelDescriptor",
        "hipErrorInvalidTexture",
        "hipGraphDebugDotPrint",
        "hipGraphUpload",
        "hipModuleLaunchCooperativeKernel",
        "hiprtcLinkState",
    }
    newer |= {*NEWER_RUNTIME.values(), *NEWER_DRIVER.values()}
    written = {*TABLES_BY_RULE["runtime"].values(), *TABLES_BY_RULE["driver"].values()}
    assert {
        new for new in written if new.startswith("hip")
    } - hip_names - newer == set()


def _runtime_headers(include: Path) -> list[Path]:
    return [
        path for path in (include / "hip").rglob("*.h") if "nvidia" not in path.parts
    ]
