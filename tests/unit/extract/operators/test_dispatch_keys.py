"""The device that torch registrations are for."""

from __future__ import annotations

import time

import pytest

from crawler.extract.operators.dispatch_keys import read_argument_key, read_block_key


def test_a_block_says_its_device_with_or_without_a_namespace() -> None:
    assert read_block_key("TORCH_LIBRARY_IMPL(lib, CPU, m) ") == "CPU"
    assert read_block_key("TORCH_LIBRARY_IMPL(_, c10::DispatchKey::CUDA, m)") == "CUDA"
    assert read_block_key("TORCH_LIBRARY(lib, m)") == ""


def test_a_function_whose_name_begins_like_a_device_is_none() -> None:
    code = 'm.impl("add", kAdd)'
    name_end = code.index(",")
    assert read_argument_key(code, name_end, len(code)) == ""


@pytest.mark.parametrize("hostile", ["a::", "dispatch(", " ", "k", "DispatchKey::"])
def test_an_argument_of_any_text_takes_time_that_grows_with_it(hostile: str) -> None:
    code = ", " + hostile * 50_000
    start = time.process_time()
    read_argument_key(code, 0, len(code))
    assert time.process_time() - start < 2
