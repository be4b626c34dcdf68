"""Linking a commit whose batches did not all come through takes nothing away that is known."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from crawler.codec import decode, encode
from crawler.errors import CrawlError, NoKernels, ParseFailed
from crawler.extract.unit.syntax_fallback import extract_facts_from_syntax
from crawler.model import (
    CompileCommand,
    CompileDatabase,
    Dialect,
    FlagsOrigin,
    GeneratedFile,
    Layer,
    Repo,
)
from storage.ledger.interface import Claim, Outcome, Stage, TaskSpec
from storage.open import Storage
from workers.stages import link
from workers.tasks.payloads import BatchPayload, BatchResult, LinkPayload
from workers.tasks.task_specs import make_task_spec, store_json
from workers.workspace import snapshot
from workers.workspace.task_workspace import Workspace

FILES = {
    "a.cu": "__global__ void first(float* x) { x[0] = 1; }\n__global__ void second(float* x) { x[0] = 2; }\n",
    "b.cu": '#include "c.cuh"\n__global__ void third(float* x) { x[0] = 3; }\n',
    "plain.cu": "void host() {}\n",
}
REPO = Repo(
    source="local", owner="", name="mine", url="", ref="", commit="sha256:" + "0" * 64
)


@dataclass
class Commit:
    """One commit, a batch a file, and a ledger in which its batches end as they are told to."""

    storage: Storage
    workspace: Workspace
    root: Path

    def __post_init__(self) -> None:
        self.repo = store_json(self.storage.blobs, REPO)
        self.snapshot = self.pack()
        self.version = 0
        self.generated: tuple[GeneratedFile, ...] = ()
        self.unread: tuple[str, ...] = ()

    def pack(self) -> str:
        return self.storage.blobs.put(snapshot.pack_snapshot(self.root, limit=1 << 20))

    def link(self, *files: str) -> Outcome:
        """Let the batches of `files` be done and the others fail, and link."""
        self.ask()
        for _ in FILES:
            claim = self.claim(Stage.EXTRACT)
            file = list(FILES)[decode(claim.payload, BatchPayload).group]
            if file in files:
                self.storage.ledger.finish(claim, self.batch(file))
            else:
                self.storage.ledger.fail(claim, "killed-its-worker", "it died")
        claim = self.claim(Stage.LINK)
        try:
            outcome = link.run(claim, self.storage, self.workspace)
        except CrawlError as error:
            self.storage.ledger.fail(claim, error.code, str(error))
            raise
        self.storage.ledger.finish(claim, outcome)
        return outcome

    def ask(self) -> None:
        """Make the tasks of the commit, as a newer version of all stages does."""
        self.version += 1
        commands = tuple(map(self.command, (*FILES, *self.unread)))
        groups = tuple((number,) for number in range(len(FILES)))
        database = CompileDatabase(
            commands=commands, strategies=(), groups=groups, generated=self.generated
        )
        stored = store_json(self.storage.blobs, database)
        following = LinkPayload(
            repo=self.repo, snapshot=self.snapshot, database=stored, targets=("sm_80",)
        )
        payloads = (
            BatchPayload(snapshot=self.snapshot, database=stored, group=number)
            for number in range(len(FILES))
        )
        batches = tuple(self.task(Stage.EXTRACT, payload) for payload in payloads)
        self.storage.ledger.open_crawl(
            (str(self.version),), (self.task(Stage.BUILD_DB, following),)
        )
        outcome = Outcome(
            children=batches, continuation=self.task(Stage.LINK, following)
        )
        self.storage.ledger.finish(self.claim(Stage.BUILD_DB), outcome)

    def task(self, stage: Stage, payload: object) -> TaskSpec:
        return replace(
            make_task_spec(stage, payload, "mine"), version=str(self.version)
        )

    def claim(self, stage: Stage) -> Claim:
        claim = self.storage.ledger.claim("host/boot/1/1", (stage,), 60)
        assert claim
        return claim

    def batch(self, file: str) -> Outcome:
        facts = (
            extract_facts_from_syntax(self.root, self.command(file), "parse-crashed"),
        )
        result = BatchResult(
            facts=store_json(self.storage.blobs, facts),
            units=1,
            kernels=len(facts[0].kernels),
        )
        return Outcome(result=encode(result).decode())

    def command(self, file: str) -> CompileCommand:
        origin = FlagsOrigin.SYNTHESISED
        return CompileCommand(
            directory=".", file=file, arguments=(), dialect=Dialect.CUDA, origin=origin
        )

    def names(self) -> list[str]:
        return [
            row.name for row in self.storage.index.query(f'commit = "{REPO.commit}"')
        ]


@pytest.fixture
def commit(storage: Storage, workspace: Workspace, tmp_path: Path) -> Commit:
    root = tmp_path / "tree"
    root.mkdir()
    for name, text in FILES.items():
        (root / name).write_text(text)
    return Commit(storage, workspace, root)


def test_what_every_batch_showed_is_the_commit(commit: Commit) -> None:
    summary = json.loads(commit.link(*FILES).result)
    assert commit.names() == ["first", "second", "third"]
    assert (summary["kernels"], summary["kept"], summary["lost"]) == (3, 0, 0)


def test_a_failed_batch_keeps_what_was_known_of_its_files(commit: Commit) -> None:
    commit.link(*FILES)
    summary = json.loads(commit.link("b.cu", "plain.cu").result)
    assert commit.names() == ["first", "second", "third"]
    assert (summary["kernels"], summary["kept"], summary["lost"]) == (3, 2, 1)


def test_a_header_that_no_unit_came_to_read_is_parsed_by_itself(commit: Commit) -> None:
    (commit.root / "left.cuh").write_text(
        "__global__ void fourth(float* x) { x[0] = 4; }\n"
    )
    commit.unread, commit.snapshot = ("left.cuh",), commit.pack()
    commit.link("a.cu", "b.cu", "plain.cu")
    assert commit.names() == ["first", "second", "third", "fourth"]
    (fourth,) = commit.storage.index.records('name = "fourth"')
    assert fourth.kernel.found_by is Layer.AST
    assert fourth.kernel.unit


def test_what_was_never_known_is_only_missing(commit: Commit) -> None:
    summary = json.loads(commit.link("b.cu").result)
    assert commit.names() == ["third"]
    assert (summary["kept"], summary["lost"]) == (0, 2)
    commit.link(*FILES)
    assert commit.names() == ["first", "second", "third"]


def test_what_a_batch_no_longer_shows_goes(commit: Commit) -> None:
    commit.link(*FILES)
    (commit.root / "b.cu").write_text("void host() {}\n")
    commit.link("b.cu", "plain.cu")
    assert commit.names() == ["first", "second"]


def test_another_repository_at_the_same_commit_gives_nothing(commit: Commit) -> None:
    commit.link(*FILES)
    commit.repo = store_json(commit.storage.blobs, replace(REPO, name="copy"))
    summary = json.loads(commit.link("b.cu").result)
    assert (summary["kernels"], summary["kept"]) == (1, 0)
    assert commit.names() == ["third", "first", "second", "third"]


@pytest.mark.parametrize("files", [(), ("plain.cu",)])
def test_where_nothing_is_known_the_commit_failed_and_is_not_empty(
    commit: Commit, files: tuple[str, ...]
) -> None:
    with pytest.raises(ParseFailed, match="kernelset retry") as raised:
        commit.link(*files)
    assert raised.value.code == "parse-failed"


def test_where_all_batches_failed_what_was_known_is_left_as_it_was(
    commit: Commit,
) -> None:
    commit.link(*FILES)
    before = list(commit.storage.index.query())
    with pytest.raises(ParseFailed):
        commit.link()
    assert list(commit.storage.index.query()) == before


def test_a_commit_that_really_has_none_is_empty(commit: Commit) -> None:
    commit.link(*FILES)
    for name in FILES:
        (commit.root / name).write_text("void host() {}\n")
    with pytest.raises(NoKernels):
        commit.link(*FILES)
    assert commit.names() == []


def test_a_retry_brings_the_failed_batch_back(commit: Commit) -> None:
    commit.link("b.cu", "plain.cu")
    assert commit.storage.ledger.retry() == 1
    claim = commit.claim(Stage.EXTRACT)
    commit.storage.ledger.finish(claim, commit.batch("a.cu"))
    link.run(commit.claim(Stage.LINK), commit.storage, commit.workspace)
    assert commit.names() == ["first", "second", "third"]


def test_kernels_that_a_build_has_written_say_so_and_are_licensed_as_their_project(
    commit: Commit,
) -> None:
    (commit.root / "LICENSE").write_text(
        "MIT License\n\nPermission is hereby granted, free of charge, to any person\n"
    )
    commit.snapshot = commit.storage.blobs.put(
        snapshot.pack_snapshot(commit.root, limit=1 << 20)
    )
    commit.generated = (
        GeneratedFile(path="a.cu", text=FILES["a.cu"], strategy="cmake"),
    )
    commit.link(*FILES)
    kernels = [
        record.kernel
        for record in commit.storage.index.records(f'commit = "{REPO.commit}"')
    ]
    assert {kernel.name: "generated" in kernel.tags for kernel in kernels} == {
        "first": True,
        "second": True,
        "third": False,
    }
    assert len({kernel.licence for kernel in kernels}) == 1


def test_a_checkout_has_what_its_build_has_written_where_that_is_asked_for(
    commit: Commit,
) -> None:
    made = (GeneratedFile(path=".generated/cmake/made.h", text="#define N 1\n"),)
    blobs = commit.storage.blobs
    with_it = commit.workspace.checkout(commit.snapshot, blobs, made)
    assert (with_it / ".generated/cmake/made.h").read_text() == "#define N 1\n"
    assert commit.workspace.checkout(commit.snapshot, blobs, made) == with_it
    assert not (
        commit.workspace.checkout(commit.snapshot, blobs) / ".generated"
    ).exists()
