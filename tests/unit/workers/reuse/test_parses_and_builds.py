"""What an earlier commit has shown is taken from there exactly where nothing that it was read
from differs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from crawler.model import (
    Build,
    CompileCommand,
    Dialect,
    FlagsOrigin,
    Status,
    Toolchain,
    UnitFacts,
    Verdict,
)
from storage.open import Storage, open_storage
from workers.reuse.parses_and_builds import (
    EarlierParses,
    find_known_build,
    remember_builds,
)
from workers.tasks.task_specs import store_json

FILES = {
    "a.cu": '#include "deep/b.cuh"\n#include <c.h>\n',
    "deep/b.cuh": "#pragma once\n",
    "other.md": "x\n",
}
COMMAND = CompileCommand(
    directory=".",
    file="a.cu",
    arguments=("-Ideep",),
    dialect=Dialect.CUDA,
    origin=FlagsOrigin.EXPORTED,
)
FACTS = UnitFacts(command=COMMAND, files=("a.cu", "deep/b.cuh"))


@pytest.fixture
def storage(tmp_path: Path, migrated_database: Path) -> Iterator[Storage]:
    home = tmp_path / "home"
    home.mkdir()
    (home / "kernelset.db").write_bytes(migrated_database.read_bytes())
    with open_storage(home) as opened:
        yield opened


@pytest.fixture
def checkout(tmp_path: Path) -> Callable[[dict[str, str]], Path]:
    def make(changes: dict[str, str]) -> Path:
        root = tmp_path / f"tree{len(list(tmp_path.iterdir()))}"
        for name, content in (FILES | changes).items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(content)
        return root

    return make


def remember(storage: Storage, root: Path, facts: UnitFacts = FACTS) -> None:
    batch = (
        UnitFacts(command=COMMAND, files=("other.md",), failure="parse-crashed"),
        facts,
    )
    EarlierParses(storage, root).remember(batch, store_json(storage.blobs, batch))


@pytest.mark.parametrize(
    ("changes", "is_reused"),
    [
        ({}, True),
        ({"other.md": "y\n", "more.md": "z\n", "d.cu": "\n"}, True),
        ({"a.cu": "\n"}, False),
        ({"deep/b.cuh": "#pragma once\n\n"}, False),
        ({"c.h": "it was missing\n"}, False),
        ({"b.cuh": "it shadows the one in deep\n"}, False),
    ],
)
def test_facts_serve_where_no_file_of_theirs_differs_and_none_came_that_they_could_include(
    storage: Storage,
    checkout: Callable[[dict[str, str]], Path],
    changes: dict[str, str],
    is_reused: bool,
) -> None:
    remember(storage, checkout({}))
    assert EarlierParses(storage, checkout(changes)).find(COMMAND) == (
        FACTS if is_reused else None
    )


def test_a_file_that_went_away_is_missed(
    storage: Storage, checkout: Callable[[dict[str, str]], Path]
) -> None:
    remember(storage, checkout({}))
    root = checkout({})
    (root / "deep/b.cuh").unlink()
    assert EarlierParses(storage, root).find(COMMAND) is None


def test_other_flags_are_another_question_and_failures_are_tried_again(
    storage: Storage, checkout: Callable[[dict[str, str]], Path]
) -> None:
    root = checkout({})
    remember(
        storage,
        root,
        UnitFacts(command=COMMAND, files=("a.cu",), failure="parse-timeout"),
    )
    assert EarlierParses(storage, root).find(COMMAND) is None
    remember(storage, root)
    other = CompileCommand(
        directory=".",
        file="a.cu",
        arguments=(),
        dialect=Dialect.CUDA,
        origin=FlagsOrigin.EXPORTED,
    )
    assert EarlierParses(storage, root).find(other) is None
    assert EarlierParses(storage, root).find(COMMAND) == FACTS


def make_build(unit: str, target: str, status: Status, code: str = "") -> Build:
    verdict = Verdict(status=status, code=code)
    return Build(
        unit=unit,
        target=target,
        toolchain=Toolchain(compiler="clang 19"),
        pass_call=verdict,
    )


def test_a_build_serves_the_same_unit_and_target_unless_it_never_was_one(
    storage: Storage,
) -> None:
    reusable = [
        make_build("u", "sm_80", Status.PASS),
        make_build("v", "sm_80", Status.FAIL, "compile-error"),
    ]
    passing = [
        make_build("w", "sm_80", Status.SKIPPED, "no-compiler"),
        make_build("x", "sm_80", Status.FAIL, "internal"),
        make_build("y", "sm_80", Status.FAIL, "compile-timeout"),
    ]
    remember_builds(storage, [*reusable, *passing])
    assert [
        find_known_build(storage, build.unit, "sm_80") for build in reusable
    ] == reusable
    assert [find_known_build(storage, build.unit, "sm_80") for build in passing] == [
        None
    ] * 3
    assert find_known_build(storage, "u", "gfx90a") is None
