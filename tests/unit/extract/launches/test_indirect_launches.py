"""A launch through a parameter or a variable is told by the tokens that declare it."""

from __future__ import annotations

import pytest

from crawler.cpp.files.functions import find_enclosing_function
from crawler.cpp.files.source_text import SourceText
from crawler.extract.launches.indirect_launches import explain_indirect_launch
from crawler.extract.syntax.launch_syntax import find_launches

BY_WORDS = """
#define LAUNCH(kernel) kernel<<<1, 1>>>
template <class K> void passed(K kernel, int n = sizeof(int)) { %s }
void pointed(void (*kernel)(int)) { %s }
void kept(int n) { auto&& kernel = table[n]; %s }
void listed() { Kernel kernel[] = {one, two}; %s }
void cast(void* any) { void (**kernel)(int) = get(any); %s }
"""
NOT_BY_WORDS = """
void commented(int n) {
  // the kernel = one that nobody declares
  log("no kernel; at all"); %s
}
"""


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        (
            BY_WORDS,
            ["function-parameter: kernel"] * 2 + ["function-pointer: kernel"] * 3,
        ),
        (NOT_BY_WORDS, [""]),
    ],
)
def test_a_launch_through_a_name_is_explained_by_tokens_not_by_comments(
    text: str, reasons: list[str]
) -> None:
    written = text.replace("%s", "kernel<<<1, 2>>>(n);")
    source = SourceText("a.cu", written.encode())
    explained = [
        explain_indirect_launch(
            source, launch, find_enclosing_function(source, launch.start)
        )
        for launch in find_launches(source)
        if not launch.is_in_macro
    ]
    assert explained == reasons
