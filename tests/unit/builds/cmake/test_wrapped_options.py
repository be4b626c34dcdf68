"""Options are found that a project declares by functions of its own."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.builds.cmake.wrapped_options import find_wrapped_options

BY_NAME = """
function(set_option category name description default)
  if(DEFINED CACHE{${name}})
    message(STATUS "set")
  endif()
  option(${name} "${description}" ${default})
endfunction()
Set_Option(GPU LIB_ENABLE_CUDA "Use CUDA (or not)" OFF)
set_option(BASE LIB_ENABLE_MPI
           "Use \\"MPI\\"" ON)
"""
WITH_PREFIX = """
macro(lib_option NAME)
  cmake_dependent_option(LIB_${NAME}_ON "…" OFF "x" OFF)
endmacro()
lib_option(CUDA)
"""
CACHED = """
function(flag name)
  set(${name} OFF CACHE BOOL "a flag")
endfunction()
flag(USE_CUDA)
"""
NESTED = """
function(outer title name)
  inner(USE_${name} ${title})
endfunction()
function(inner name title)
  option(LIB_${name} ${title} OFF)
endfunction()
outer("CUDA" CUDA)
"""
NONE = """
function(report name)
  message(STATUS ${name})
endfunction()
report(USE_CUDA)
function(find name)
  set(${name}_FOUND FALSE CACHE BOOL "found")
endfunction()
find(CUDA)
function(fixed name)
  option(ONE "one" OFF)
endfunction()
fixed(TWO)
"""


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (BY_NAME, ["LIB_ENABLE_CUDA", "LIB_ENABLE_MPI"]),
        (WITH_PREFIX, ["LIB_CUDA_ON"]),
        (CACHED, ["USE_CUDA"]),
        (NESTED, ["LIB_USE_CUDA"]),
        (NONE, []),
    ],
    ids=["by name", "with a prefix", "cached", "nested", "none"],
)
def test_what_a_function_of_the_project_declares(text: str, options: list[str]) -> None:
    assert find_wrapped_options(text) == options


@given(st.text(alphabet='function(macro)end{}$"\\ \n#aN_option', max_size=400))
def test_any_text_is_read(text: str) -> None:
    for option in find_wrapped_options(text):
        assert option.isidentifier()


@pytest.mark.parametrize(
    "part",
    [
        "function(a b)\n",
        "function(a b c\n",
        'a("\n',
        "a(" + "x " * 50 + "\n",
        "function(a b)\noption(${b})\nendfunction()\na(c)\n",
    ],
)
def test_long_texts_cost_as_much_as_they_are_long(part: str) -> None:
    def measure(count: int) -> float:
        start = time.process_time()
        find_wrapped_options(part * count)
        return time.process_time() - start

    text_count = 20_000 // len(part)
    single = min(measure(text_count) for _ in range(3))
    assert measure(text_count * 8) < 40 * max(single, 0.01)
