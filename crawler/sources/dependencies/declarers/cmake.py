"""Repositories that CMake files fetch: FetchContent, ExternalProject, CPM, and what wraps these."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise
from typing import Final

from crawler.checkout.source_tree import SourceTree
from crawler.sources.dependencies.declaring_texts import iter_texts
from crawler.sources.dependencies.interface import (
    DeclaredDependency,
    DependencyDeclarer,
)

# a `#` within quotes begins no comment: CPMAddPackage("gh:owner/name#v1")
_QUOTE_OR_COMMENT: Final = re.compile(
    r"(\"(?:[^\"\\]++|\\.)*+(?:\"|\Z))|#\[\[.*?(?:\]\]|\Z)|#[^\n]*", re.DOTALL
)
_CALL_HEAD: Final = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
_ARGUMENTS: Final = re.compile(r"(?:[^()\"]|\"[^\"]*\"|\([^()]*\))*")
_WORD: Final = re.compile(r'"([^"]*)"|([^\s"()]+)')
_VARIABLE: Final = re.compile(r"\$\{(\w+)\}")
_ADDRESS_WORDS: Final = ("GIT_REPOSITORY", "URL")
# `gh:owner/name#tag`, as CPM shortens it
_SHORT_ADDRESS: Final = re.compile(
    r"(?P<host>gh|gl|bb):(?P<path>[\w.-]+/[\w.-]+?)(?:[#@](?P<ref>[\w./-]+))?(?:[#@].*)?"
)
_SHORT_HOSTS: Final = {"gh": "github.com", "gl": "gitlab.com", "bb": "bitbucket.org"}
_MAX_SUBSTITUTIONS: Final = 8
_MAX_CALLS: Final = 50_000
_MAX_ARGUMENTS: Final = 64 << 10
"""Characters of one call."""
_MAX_WORDS: Final = 2_000
_MAX_WORD: Final = 2_000
_MAX_LOST: Final = 4 << 20
"""Characters of a file that are read in vain, as arguments of calls that do not end."""


class Cmake:
    """Reads the arguments of every call that names a repository."""

    name = "cmake"
    order = 20
    example: Final = {
        "CMakeLists.txt": "FetchContent_Declare(library\n"
        "  GIT_REPOSITORY https://github.com/owner/library.git GIT_TAG v1.2)\n"
    }

    def find_declared(self, tree: SourceTree) -> Iterable[DeclaredDependency]:
        """Yield what calls name by `GIT_REPOSITORY` or `URL`, or in CPM's short form."""
        calls = list(islice(_iter_calls(tree), _MAX_CALLS))
        variables = _collect_variables(calls)
        for path, command, words in calls:
            declared = _read_call(path, command, words, variables)
            if declared is not None:
                yield declared


def _iter_calls(tree: SourceTree) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the calls of a tree's CMake files: path, command and arguments."""
    paths = [
        path
        for path in tree.files
        if path.endswith(".cmake") or path.rpartition("/")[2] == "CMakeLists.txt"
    ]
    paths.sort(key=lambda path: (path.count("/"), path))
    for path, text in iter_texts(tree, paths):
        for command, arguments in _iter_call_texts(_blank_comments(text)):
            words = [
                (quoted or bare)[:_MAX_WORD]
                for quoted, bare in _WORD.findall(arguments)[:_MAX_WORDS]
            ]
            yield path, command.lower(), words


def _blank_comments(text: str) -> str:
    return _QUOTE_OR_COMMENT.sub(lambda match: match[1] or "", text)


def _iter_call_texts(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each call that ends, and the text between its parentheses."""
    end = lost = 0
    for head in _CALL_HEAD.finditer(text):
        if head.start() < end:
            continue

        start = head.end()
        arguments = _ARGUMENTS.match(text, start, start + _MAX_ARGUMENTS)
        assert arguments is not None
        if text.startswith(")", arguments.end()):
            yield head[1], arguments[0]
            end = arguments.end() + 1
            continue

        # a quote without its other one may hide what follows: read on right behind the name
        lost += arguments.end() - start
        if lost > _MAX_LOST:
            return


def _collect_variables(calls: Iterable[tuple[str, str, list[str]]]) -> dict[str, str]:
    """Return what variables are set to first, and what keywords of calls are followed by.

    A function reads the keyword `PINNED_TAG` of its caller as `PKG_PINNED_TAG`, whatever
    its prefix is.
    """
    values: dict[str, str] = {}
    keywords: dict[str, str] = {}
    for _, command, words in calls:
        if command == "set" and len(words) > 1:
            values.setdefault(words[0], words[1])
        if command == "project":
            _add_project_version(words, values)
        for keyword, value in pairwise(words):
            # not the names that cmake_parse_arguments is given, with "" behind them
            if keyword.isupper() and value and not value.isupper():
                keywords.setdefault(keyword, value)

    return keywords | values


def _add_project_version(words: list[str], values: dict[str, str]) -> None:
    if "VERSION" in words[:-1]:
        values.setdefault("PROJECT_VERSION", words[words.index("VERSION") + 1])


def _read_call(
    path: str, command: str, words: list[str], variables: dict[str, str]
) -> DeclaredDependency | None:
    if not words:
        return None

    short = next(filter(None, map(_SHORT_ADDRESS.fullmatch, words)), None)
    if short is not None and command.startswith("cpm"):
        return DeclaredDependency(
            name=short["path"].rpartition("/")[2],
            url=f"https://{_SHORT_HOSTS[short['host']]}/{short['path']}",
            ref=short["ref"] or _find_tag(words, variables),
            path=path,
        )

    address = next(
        (
            words[position + 1]
            for position, word in enumerate(words[:-1])
            if word in _ADDRESS_WORDS
        ),
        "",
    )
    url = _substitute(address, variables)
    if "://" not in url:
        return None

    is_named = "NAME" in words[:-1]
    name = words[words.index("NAME") + 1] if is_named else words[0]
    return DeclaredDependency(
        name=_substitute(name, variables),
        url=url,
        ref=_find_tag(words, variables),
        path=path,
    )


def _find_tag(words: list[str], variables: dict[str, str]) -> str:
    """Return the ref of a call: its tag, or its version as most call their tags."""
    for keyword, prefix in (("GIT_TAG", ""), ("VERSION", "v")):
        if keyword in words[:-1]:
            value = _substitute(words[words.index(keyword) + 1], variables)
            # a tag that only a configuration knows is none
            return "" if "$" in value else f"{prefix}{value}"

    return ""


def _substitute(text: str, variables: dict[str, str]) -> str:
    """Return a text with the variables in it that are known by what the files say."""
    for _ in range(_MAX_SUBSTITUTIONS):
        match = _VARIABLE.search(text)
        if match is None:
            break

        name = match[1]
        # of `PKG_PINNED_TAG` the prefix is the function's, and the rest the keyword
        value = variables.get(name) or variables.get(name.partition("_")[2])
        if value is None or match[0] in value:
            break

        text = f"{text[: match.start()]}{value}{text[match.end() :]}"

    return text[:_MAX_WORD]


PLUGIN: Final[DependencyDeclarer] = Cmake()
