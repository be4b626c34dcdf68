"""Included headers of CUDA, and what HIP has in their place."""

from __future__ import annotations

import pytest

from crawler.cpp.masked.masked_source import MaskedSource
from crawler.port.passes.rename_headers import PLUGIN, translate_header


@pytest.mark.parametrize(
    ("header", "hip_header"),
    [
        ("<cuda_fp16.h>", "<hip/hip_fp16.h>"),
        ('"cuda_fp16.h"', "<hip/hip_fp16.h>"),
        ("<cub/block/block_scan.cuh>", "<hipcub/hipcub.hpp>"),
        ("<cuda/functional>", "<kernelset/libcudacxx.h>"),
        ('"include/cuda_fp16.h"', '"include/cuda_fp16.h"'),
        ("<vector>", "<vector>"),
        ("<>", "<>"),
    ],
)
def test_a_header_is_renamed_whatever_its_brackets(
    header: str, hip_header: str
) -> None:
    assert translate_header(header) == hip_header


def test_headers_are_renamed_where_they_are_included() -> None:
    text = (
        "#include <cuda_fp16.h> // <cuda_fp16.h>\n"
        "#  include /* all */ <cub/cub.cuh>\n"
        "#if __has_include(<cuda_bf16.h>)\n"
        'auto name = "<cuda_fp16.h>";\n'
        "#include <vector>\n"
    )
    edits = list(PLUGIN.find_edits(MaskedSource(text), is_whole_file=True))
    assert [text[edit.start : edit.end] for edit in edits] == [
        "<cuda_fp16.h>",
        "<cub/cub.cuh>",
        "<cuda_bf16.h>",
    ]
    assert {edit.rule for edit in edits} == {"header"}
