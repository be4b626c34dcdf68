"""Device code is told from the host's by HIP's own macro, an architecture by its number."""

from __future__ import annotations

from crawler.model import Dialect
from crawler.port.port import port_text, port_unit
from tests.plain import plain_unit

GUARDS = """#ifdef __CUDA_ARCH__
int a;
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 600
int b;
#elif !defined __CUDA_ARCH__
int c;
#endif
# ifndef __CUDA_ARCH__
int d; // #ifdef __CUDA_ARCH__
#endif
"""


def test_a_question_for_the_device_is_hip_s() -> None:
    port = port_unit(plain_unit(GUARDS))
    assert port.dialect is Dialect.HIP
    assert [line for line in port.source.splitlines() if line.startswith("#")] == [
        "#ifdef __HIP_DEVICE_COMPILE__",
        "#endif",
        "#if defined(__HIP_DEVICE_COMPILE__) && KERNELSET_CUDA_ARCH >= 600",
        "#elif !defined __HIP_DEVICE_COMPILE__",
        "#endif",
        "# ifndef __HIP_DEVICE_COMPILE__",
        "#endif",
    ]
    assert "// #ifdef __CUDA_ARCH__" in port.source


def test_what_was_for_hip_in_a_unit_stays_shut() -> None:
    source = f"#ifdef __HIP_DEVICE_COMPILE__\nint hip;\n#endif\n{GUARDS}"
    port = port_unit(plain_unit(source))
    assert port.source.startswith("#ifdef KERNELSET_WRITTEN_FOR_HIP")


def test_a_whole_file_keeps_the_header_s_macro() -> None:
    text, _ = port_text(GUARDS)
    assert "__HIP_DEVICE_COMPILE__" not in text
    assert port_text(text)[0] == text
