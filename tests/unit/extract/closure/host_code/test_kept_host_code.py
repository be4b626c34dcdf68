"""Names of host code that a unit keeps."""

from __future__ import annotations

import pytest

from crawler.extract.closure.host_code.kept_host_code import KeptHostCode


@pytest.mark.parametrize(
    ("name", "scope", "is_declared", "is_kept"),
    [
        ("Params", "Params", False, True),
        ("Params<int>", "Params", False, True),
        ("~Params", "Params", True, True),
        ("resize", "Params", True, True),
        ("resize", "Params", False, False),
        ("resize", "Other", True, False),
        ("Other", "Other", True, False),
    ],
)
def test_constructors_and_what_a_class_needs_are_kept(
    name: str, scope: str, is_declared: bool, is_kept: bool
) -> None:
    kept_code = KeptHostCode(frozenset({"Params"}))
    assert kept_code.is_kept(name, scope, is_declared=is_declared) is is_kept


def test_nothing_is_kept_by_default() -> None:
    assert not KeptHostCode().is_kept("Params", "Params", is_declared=True)
