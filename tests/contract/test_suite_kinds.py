"""What every kind of test suite does, whichever plugins there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.checkout.source_tree import open_tree
from crawler.plugins import load_plugins
from crawler.validate.suites.interface import (
    SuiteKind,
    SuiteRefused,
    SuiteRequest,
    choose_suite_kind,
)

KINDS = load_plugins("crawler.validate.suites.kinds", SuiteKind)
each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


def test_no_two_have_one_order() -> None:
    orders = [kind.order for kind in KINDS]
    assert sorted(set(orders)) == orders


@each_kind
def test_a_project_without_device_code_is_none_of_its_own(
    kind: SuiteKind, tmp_path: Path
) -> None:
    (tmp_path / "README").write_text("nothing is here\n")
    tree = open_tree(tmp_path)

    assert not kind.recognises(tree)
    # somebody has to say what is missing
    assert choose_suite_kind(tree) is KINDS[0]


@each_kind
def test_what_has_no_tests_is_refused_with_a_code(
    kind: SuiteKind, tmp_path: Path
) -> None:
    (tmp_path / "README").write_text("nothing is here\n")
    request = SuiteRequest(tree=open_tree(tmp_path))

    with pytest.raises(SuiteRefused) as refused, kind.open(request):
        pass

    assert refused.value.code in ("no-extension", "no-torch", "no-test")
    assert str(refused.value)


@each_kind
def test_hostile_names_do_not_matter(kind: SuiteKind, tmp_path: Path) -> None:
    folder = tmp_path / "-rf $(id)\n"
    folder.mkdir()
    for name in ("CMakeLists.txt", "Makefile", "setup.py"):
        (folder / name).write_bytes(b"\xff\x00(((")

    assert kind.recognises(open_tree(tmp_path)) is False
