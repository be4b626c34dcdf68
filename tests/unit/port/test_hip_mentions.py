"""Whether a text speaks HIP already."""

from __future__ import annotations

import pytest

from crawler.cpp.masked.masked_source import MaskedSource
from crawler.port.hip_mentions import mentions_hip


@pytest.mark.parametrize(
    "text",
    [
        "hipStream_t s;",
        "__hip_bfloat16 b;",
        "HIP_VERSION",
        "#include <hip/hip_fp16.h>",
        '#include "hipcub/hipcub.hpp"',
    ],
)
def test_a_name_or_a_header_of_hip_tells(text: str) -> None:
    assert mentions_hip(MaskedSource(text))


@pytest.mark.parametrize(
    "text",
    [
        "int ship; Hip h; WHIP_X",
        "// hipStream_t",
        'f("hipStream_t");',
        "#include <kernelset/hip.h>",
        "#include <my/hip/x.h>",
        "",
    ],
)
def test_what_only_looks_alike_does_not(text: str) -> None:
    assert not mentions_hip(MaskedSource(text))
