"""Stage `extract`: store the facts of each translation unit of a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.codec import decode, encode
from crawler.extract.parser_process.parent import extract_batch_facts
from crawler.model import CompileDatabase
from storage.ledger.interface import Claim, Outcome
from workers.reuse.parses_and_builds import EarlierParses
from workers.tasks.payloads import BatchPayload, BatchResult
from workers.tasks.task_specs import store_json
from workers.workspace.task_workspace import Workspace

if TYPE_CHECKING:
    from storage.open import Storage


def run(claim: Claim, storage: Storage, workspace: Workspace) -> Outcome:
    """Store what the group's files showed as one blob; a file that could not be parsed says so
    in its facts.

    Only what changed since any earlier commit, and whose includes did, is parsed.
    """
    payload = decode(claim.payload, BatchPayload)
    database = decode(storage.blobs.get(payload.database), CompileDatabase)
    entries = database.entries
    commands = [entries[position] for position in database.groups[payload.group]]
    root = workspace.checkout(payload.snapshot, storage.blobs, database.generated)
    parses = EarlierParses(storage, root)
    known = {
        position: found
        for position, found in enumerate(map(parses.find, commands))
        if found
    }
    parsed = extract_batch_facts(
        root,
        [command for position, command in enumerate(commands) if position not in known],
    )
    facts = tuple(
        known[position] if position in known else next(parsed)
        for position in range(len(commands))
    )
    stored = store_json(storage.blobs, facts)
    parses.remember(facts, stored)
    kernels = sum(len(unit.kernels) for unit in facts)
    result = BatchResult(
        facts=stored, units=len(facts), kernels=kernels, reused=len(known)
    )
    return Outcome(result=encode(result).decode())
