"""Stage `extract`: store the facts of each translation unit of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from crawler.codec import decode, encode
from crawler.extract.link import link_kernels
from crawler.extract.parser_process.parent import extract_batch_facts
from crawler.licences.detection import assign_licences
from crawler.model import CompileCommand, CompileDatabase, UnitFacts
from storage.ledger.interface import Claim, Outcome, TaskSpec
from workers.reuse.parses_and_builds import EarlierParses
from workers.reuse.shown_commits import recall_shown
from workers.tasks.payloads import BatchPayload, BatchResult
from workers.tasks.port_tasks import list_unit_digests, make_port_tasks
from workers.tasks.task_specs import load_repo, repo_title, store_json
from workers.workspace.task_workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from storage.open import Storage


def run(claim: Claim, storage: Storage, workspace: Workspace) -> Outcome:
    """Store what the group's files showed as one blob.

    A file that could not be parsed says so in its facts. Only files are parsed that changed, or
    whose includes did, since every earlier commit.
    """
    payload = decode(claim.payload, BatchPayload)
    encoded_database = storage.blobs.get(payload.database)
    database = decode(encoded_database, CompileDatabase)
    entries = database.entries
    group = database.groups[payload.group]
    commands = [entries[position] for position in group]
    root = workspace.checkout(payload.snapshot, storage.blobs, database.generated)

    parses = EarlierParses(storage, root)
    earlier_facts: list[UnitFacts | None] = []
    new_commands: list[CompileCommand] = []
    for command in commands:
        unit_facts = parses.find(command)
        earlier_facts.append(unit_facts)
        if unit_facts is None:
            new_commands.append(command)

    # each gap among the earlier facts is filled by the next of the new ones, in their order
    new_facts = (
        _store_whole_text(unit_facts, storage)
        for unit_facts in extract_batch_facts(root, new_commands)
    )
    facts = tuple(unit_facts or next(new_facts) for unit_facts in earlier_facts)

    facts_digest = store_json(storage.blobs, facts)
    parses.remember(facts, facts_digest)
    result = BatchResult(
        facts=facts_digest,
        units=len(facts),
        kernels=sum(len(unit_facts.kernels) for unit_facts in facts),
        reused=len(commands) - len(new_commands),
    )
    return Outcome(
        children=tuple(_show_units(payload, storage, root, facts)),
        result=encode(result).decode(),
    )


def _show_units(
    payload: BatchPayload, storage: Storage, root: Path, facts: Sequence[UnitFacts]
) -> list[TaskSpec]:
    """Put the units of a batch where syntax alone has shown their kernels, and return the task
    that compiles them.

    `link` puts those of the whole commit in their place; a crawl that is ended before keeps
    these.
    """
    commit = recall_shown(storage, payload.database)
    if commit is None:
        return []

    repo = load_repo(storage.blobs, commit.repo)
    kernels = [kernel for kernel in link_kernels(facts) if kernel.unit]
    storage.index.put_first_units(repo, assign_licences(kernels, root, repo.licence))
    return make_port_tasks(
        list_unit_digests(kernels),
        commit.repo,
        commit.targets,
        storage.blobs,
        repo_title(repo),
    )


def _store_whole_text(facts: UnitFacts, storage: Storage) -> UnitFacts:
    """Return the facts of a unit with the digest of its text in that text's place."""
    if not facts.whole_text:
        return facts

    digest = storage.blobs.put(facts.whole_text.encode())
    return replace(facts, whole_text="", whole=digest)
