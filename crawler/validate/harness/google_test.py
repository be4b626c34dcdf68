"""Render the cases of a judged test as GoogleTest: a test for each."""

from __future__ import annotations

from typing import Final

from crawler.model import KernelUnit, Suite
from crawler.toolchains.clang_flags import CALLED_CLANG
from crawler.validate.harness.judge_case_file import format_word
from crawler.validate.harness.program import to_identifier

_HEAD: Final = """\
// Judges candidates for @KERNEL@, as test_kernels.py does. Build it in this folder with
//   @COMPILER@ -std=c++17 @FILE@ -o @STEM@ -lgtest -lgtest_main -pthread
#include "judge/google_test.h"

"""


def render_google_test(unit: KernelUnit, suite: Suite, *, name: str, test: str) -> str:
    """Return the source NAME.cpp, which judges what the judged test `test` does, by the cases of
    `suite` that are not hidden.
    """
    # GoogleTest takes no underscores in the names of suites and tests
    kernel_name = unit.kernel_name.replace("_", "-")
    suite_name = to_identifier(kernel_name).replace("_", "")
    head = (
        _HEAD.replace("@KERNEL@", unit.kernel_name)
        .replace("@COMPILER@", CALLED_CLANG)
        .replace("@FILE@", f"{name}.cpp")
        .replace("@STEM@", name)
    )
    tests = []

    for case in suite.cases:
        if case.hidden:
            continue

        case_name = to_identifier(case.name).replace("_", "")
        word = format_word(case.name)
        tests.append(
            f"TEST({suite_name}, {case_name}) "
            f'{{ test::expect_right("{test}", "{word}"); }}\n'
        )

    return head + "".join(tests)
