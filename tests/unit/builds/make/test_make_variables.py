from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.builds.make.make_variables import (
    choose_switches,
    is_value_variable,
    list_goals,
)


@pytest.mark.parametrize(
    ("name", "is_value"),
    [
        ("CUDA_PATH", True),
        ("NVCCFLAGS", True),
        ("GPU_ARCHS", True),
        ("CUDA_LIBS", True),
        ("hip_home", True),
        ("WITH_CUDA", False),
        ("GPU", False),
        ("LLAMA_CUBLAS", False),
    ],
)
def test_a_variable_that_holds_a_value_is_no_switch(name: str, is_value: bool) -> None:
    assert is_value_variable(name) is is_value


def test_goals_are_listed_once_in_their_order_without_those_that_build_nothing() -> (
    None
):
    text = """\
CUDA := 1
all: app lib.a
app lib.a: main.o
\tnvcc -o app
%.o: %.cu
clean distclean install docs:
gpu-test:: app
all: extra
.PHONY: all
"""
    assert list_goals(text) == ("all", "app", "lib.a", "gpu-test")


def test_a_switch_is_turned_round_in_the_makefiles_own_words() -> None:
    text = "USE_CUDA ?= false  # default\nifeq ($(USE_CUDA),true)\nendif\n"
    assert choose_switches(text) == [("USE_CUDA=true",)]


def test_equal_sets_of_both_dialects_are_one() -> None:
    assert choose_switches("ifdef WITH_GPU\nendif\n") == [("WITH_GPU=1",)]


def test_at_most_two_dozen_switches_are_set() -> None:
    text = "".join(f"ifdef WITH_CUDA_{number}\nendif\n" for number in range(60))
    ((*assignments,),) = choose_switches(text)
    assert len(assignments) == 24


@given(st.text(alphabet="AZ_cudahip$(){}=:?\n\t #ifneqsrp01 ", max_size=200))
def test_any_text_has_a_set_of_assignments(text: str) -> None:
    variants = choose_switches(text)
    assert variants
    for assignments in variants:
        assert all("=" in assignment for assignment in assignments)
