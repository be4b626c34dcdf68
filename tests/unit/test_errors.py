"""Errors have stable codes, and say what a caller may do about them."""

from __future__ import annotations

import pickle

import pytest

from crawler import errors
from crawler.errors import CrawlError, RateLimited, ToolFailed


def list_error_types() -> list[type[CrawlError]]:
    values = vars(errors).values()
    return [
        value
        for value in values
        if isinstance(value, type) and issubclass(value, CrawlError)
    ]


def test_no_two_kinds_of_errors_share_a_code() -> None:
    codes = [error_type.code for error_type in list_error_types()]
    assert len(set(codes)) == len(codes)


@pytest.mark.parametrize("error_type", list_error_types())
def test_an_error_keeps_the_code_of_its_kind_unless_it_has_its_own(
    error_type: type[CrawlError],
) -> None:
    assert error_type("what to do").code == error_type.code
    assert str(error_type("what to do")) == "what to do"


def test_a_code_of_its_own_is_that_error_s_alone() -> None:
    error = errors.Misconfigured("name another place", code="destination-exists")
    assert error.code == "destination-exists"
    assert errors.Misconfigured("x").code == "misconfigured"


def test_a_server_that_names_no_time_is_asked_again_after_a_minute() -> None:
    assert RateLimited("wait").retry_after == 60.0
    assert RateLimited("wait", retry_after=5.0).retry_after == 5.0


def test_a_failed_tool_keeps_how_it_was_called_and_ended() -> None:
    error = ToolFailed("mend it", argv=("cmake", "."), exit_code=2, output="no")
    assert (error.argv, error.exit_code, error.output) == (("cmake", "."), 2, "no")
    assert error.code == "tool-failed"


def test_an_error_comes_back_from_another_process() -> None:
    error = pickle.loads(pickle.dumps(errors.TooLarge("cut it", code="too-many")))
    assert (type(error), str(error), error.code) == (
        errors.TooLarge,
        "cut it",
        "too-many",
    )
