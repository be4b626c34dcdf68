from __future__ import annotations

from crawler.builds.cmake.failed_calls import FailedCall, find_failed_calls, remove_call

LOG = """
CMake Warning at CMakeLists.txt:1 (message):
  hello


CMake Error at /usr/share/cmake/Modules/X.cmake:9 (list):
  list GET given empty list
Call Stack (most recent call first):
  cmake/own.cmake:3 (x_get)
  CMakeLists.txt:7 (include)


CMake Error at CMakeLists.txt:12 (endif):
  Flow control statements are not properly nested.


CMake Error: Generator: nothing
"""


def test_the_innermost_call_of_the_tree_is_named_and_no_end_of_a_block() -> None:
    assert find_failed_calls(LOG, "/src/sub", "/src") == (
        FailedCall(path="sub/cmake/own.cmake", line=3, command="x_get"),
    )


def test_paths_outside_the_tree_are_no_calls_of_it() -> None:
    assert not find_failed_calls(
        "CMake Error at ../../etc/x.cmake:1 (list):\n  x\n", "/src/sub", "/src"
    )


def test_a_call_goes_with_all_its_lines_and_no_other() -> None:
    text = 'set(a 1)\n  list(GET b # not )\n    ")" [=[ ) ]=]\n    (0) c)\nset(d 2)\n'
    without = remove_call(text, 2, "list")
    assert without.split() == ["set(a", "1)", "set(d", "2)"]
    assert without.count("\n") == text.count("\n")


def test_a_condition_becomes_false() -> None:
    assert (
        remove_call("IF(A B)\nx()\nendif()\n", 1, "if") == "if(FALSE)\nx()\nendif()\n"
    )


def test_what_is_not_there_leaves_the_text() -> None:
    for text, line in (("set(a)\n", 9), ("set(a\n", 1), ("x(1)\n", 1)):
        assert remove_call(text, line, "set") == text
