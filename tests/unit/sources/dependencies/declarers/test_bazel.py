"""Repositories that Bazel's rules fetch are read from the text of their calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.checkout.source_tree import open_tree
from crawler.sources.dependencies.declarers.bazel import PLUGIN
from crawler.sources.dependencies.interface import DeclaredDependency

URL = "https://github.com/owner/library"


def find_in(root: Path, **texts: str) -> list[DeclaredDependency]:
    """Return what a project declares in files of these names."""
    for name, text in texts.items():
        (root / name.replace("__", ".")).write_text(text)
    return list(PLUGIN.find_declared(open_tree(root)))


@pytest.mark.parametrize(
    ("call", "url", "ref"),
    [
        (f'http_archive(name = "lib", url = "{URL}/archive/v1.zip")', f"{URL}/archive/v1.zip", ""),
        (f"tf_http_archive(name='lib', urls = [ '{URL}/a.zip', 'https://b.c/a'])", f"{URL}/a.zip", ""),
        (f'git_repository(name="lib", remote="{URL}", commit="0a1b")', URL, "0a1b"),
        (f'new_git_repository(name="lib", remote="{URL}", branch="dev")', URL, "dev"),
        (f'git_override(module_name="lib", remote="{URL}", tag = "v2")', URL, "v2"),
        (f'git_repository(name = "lib", build = glob(["*"]), remote = "{URL}")', URL, ""),
    ],
)  # fmt: skip
def test_a_rule_names_an_address_and_perhaps_a_ref(
    tmp_path: Path, call: str, url: str, ref: str
) -> None:
    assert find_in(tmp_path, WORKSPACE=f"workspace(name = 'w')\n{call}\n") == [
        DeclaredDependency(name="lib", url=url, ref=ref, path="WORKSPACE")
    ]


@pytest.mark.parametrize(
    "call",
    [
        f'http_archive(url = "{URL}")',
        'git_repository(name = "lib", remote = LIBRARY)',
        'git_repository(name = "lib", remote = "git@github.com:owner/library")',
        f'http_file(name = "lib", url = "{URL}")',
        f'http_archive(name = "lib", url = "{URL}"',
        'local_repository(name = "lib", path = "../lib")',
    ],
)
def test_other_calls_declare_nothing(tmp_path: Path, call: str) -> None:
    assert find_in(tmp_path, WORKSPACE=call) == []


def test_rules_are_read_from_modules_and_extensions(tmp_path: Path) -> None:
    call = f'http_archive(name = "NAME", url = "{URL}")\n'
    declared = find_in(
        tmp_path,
        MODULE__bazel=call.replace("NAME", "first"),
        deps__bzl=call.replace("NAME", "second"),
        notes__txt=call.replace("NAME", "third"),
    )
    assert [(dependency.name, dependency.path) for dependency in declared] == [
        ("first", "MODULE.bazel"),
        ("second", "deps.bzl"),
    ]


def test_extensions_alone_are_no_workspace(tmp_path: Path) -> None:
    call = f'http_archive(name = "lib", url = "{URL}")\n'
    assert find_in(tmp_path, deps__bzl=call) == []


def test_a_call_of_endless_length_is_passed_over(tmp_path: Path) -> None:
    long = f'http_archive(name = "long", x = "{"y" * 9000}", url = "{URL}")\n'
    short = f'http_archive(name = "short", url = "{URL}")\n'
    names = [declared.name for declared in find_in(tmp_path, WORKSPACE=long + short)]
    assert names == ["short"]
