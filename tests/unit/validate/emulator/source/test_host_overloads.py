"""Functions for the host and for devices of one signature: a program for a CPU keeps the
device's.
"""

from __future__ import annotations

from crawler.validate.emulator.source.host_overloads import drop_host_overloads

SOURCE = """struct Division {
  // whole numbers
  __device__ static constexpr int divide(int a, int b) { return __mulhi(a, b); }

  __host__ static constexpr int divide(int a, int b)
  { return a / b; }

  __host__ static int halve(int a) { return a / 2; }
 public:
  template <class T>
  __host__ T both(T a);
  template <class T>
  __device__ T both(T a) { return a; }
  __host__ __device__ static int whole(int a) { return a; }
};
__host__ int divide(int a, int b) { return a - b; }
#define HOST 1
__host__ inline int least(int a) { if (a) { return 1; } return 0; }
__device__ inline int least(int a) { return 2; }
__host__ int least(long a);
"""


def test_the_hosts_twin_goes_and_each_line_keeps_its_number() -> None:
    remaining = drop_host_overloads(SOURCE)
    assert remaining.count("\n") == SOURCE.count("\n")
    assert "a / b" not in remaining
    assert "__mulhi(a, b)" in remaining
    assert "__host__ T both" not in remaining
    assert " public:" in remaining
    assert "#define HOST 1\n" in remaining
    assert "if (a)" not in remaining
    assert remaining.splitlines()[-2] == SOURCE.splitlines()[-2]


def test_what_stands_alone_or_elsewhere_or_for_other_types_stays() -> None:
    remaining = drop_host_overloads(SOURCE)
    for line in (
        "halve(int a) { return a / 2; }",
        "a - b",
        "int least(long a);",
        "whole(int a)",
    ):
        assert line in remaining
    assert drop_host_overloads("__host__ int f(int a);\n") == "__host__ int f(int a);\n"


def test_macros_of_nothing_but_sides_say_them_too() -> None:
    source = """#define OWN_HOST inline __host__
#define OWN_DEVICE \\
  inline __device__  // never __host__
#define OTHER __device__ int
template <typename T> OWN_HOST constexpr T max(T a, T b) { return a > b ? a : b; }
template <typename T> OWN_DEVICE constexpr T max(T a, T b) { return b < a ? a : b; }
OWN_HOST int max(int a) { return a; }
OTHER max(int a) { return a + 1; }
"""
    remaining = drop_host_overloads(source)
    assert remaining.count("\n") == source.count("\n")
    assert "a > b" not in remaining
    for line in (
        "b < a",
        "{ return a; }",
        "a + 1",
        "#define OWN_HOST inline __host__\n",
    ):
        assert line in remaining


def test_twins_stand_in_one_namespace_however_often_that_is_opened() -> None:
    host, device = (
        "{ __host__ inline int f(int a) { return 1; } }",
        "{ __device__ inline int f(int a) { return 2; } }",
    )
    for first, second, expected in (
        ("namespace own", "namespace own", False),
        ("namespace own", "namespace other", True),
        ("namespace own { namespace a", "} namespace own { namespace a", False),
        ("struct A", "struct B", True),
    ):
        remaining = drop_host_overloads(f"{first} {host}\n{second} {device}\n")
        assert ("return 1" in remaining, "return 2" in remaining) == (expected, True), (
            first
        )
