"""Convert values to rows of the index tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from crawler.codec import encode
from crawler.model import Build, Kernel, KernelUnit, Repo, Run, Suite, Verdict
from storage.database.indexed_text import shorten_for_index
from storage.index.derived_values import (
    is_template,
    operator_names,
    port_blocker_codes,
    port_wave,
    unit_problem_code,
)
from storage.index.kernel_rows.text_words import join_words

Row = dict[str, Any]


def revision_row(repo: Repo) -> Row:
    """Return the row of a commit of which nothing is stored yet."""
    return {
        "repo": repo.label,
        "source": repo.source,
        "owner": repo.owner,
        "name": repo.name,
        "pinned": repo.commit,
        "ref": repo.ref,
        "url": repo.url,
        "licence": repo.licence.spdx,
        "snapshot": "",
        "database": "",
        "encoded": encode(repo).decode(),
    }


def unit_row(unit: KernelUnit, encoded: str) -> Row:
    """Return a unit's row; `encoded` is the digest of its JSON."""
    return {
        "digest": unit.digest,
        "dialect": unit.dialect.value,
        "kernel_name": unit.kernel_name,
        "prelude": unit.prelude,
        "token_digest": unit.token_digest,
        "encoded": encoded,
    }


def port_row(unit: KernelUnit, encoded: str) -> Row:
    """Return the row of the port `unit`."""
    return {
        "unit": unit.ported_from,
        "ported": unit.digest,
        "wave": port_wave(unit),
        "encoded": encoded,
    }


def blocker_rows(unit: KernelUnit) -> Iterator[Row]:
    """Yield a row for each code of what blocks the port `unit`."""
    for code in port_blocker_codes(unit):
        yield {"unit": unit.ported_from, "ported": unit.digest, "code": code}


def kernel_row(
    number: int,
    revision: int,
    repo: Repo,
    kernel: Kernel,
    encoded: str,
    definition: str,
) -> Row:
    """Return a kernel's row; `encoded` is the digest of its JSON, `definition` of its text."""
    unit = kernel.unit
    return {
        "id": number,
        "revision": revision,
        "repo": repo.label,
        "pinned": repo.commit,
        "path": shorten_for_index(kernel.span.path),
        "line": kernel.span.line,
        "end_line": kernel.span.end_line,
        "offset": kernel.span.offset,
        "name": shorten_for_index(kernel.name),
        "qualified_name": kernel.qualified_name,
        "dialect": kernel.dialect.value,
        "found_by": kernel.found_by.value,
        "reason": kernel.reason,
        "flags_origin": kernel.flags_origin.value,
        "is_template": is_template(kernel),
        "launches": len(kernel.launches),
        "licence": kernel.licence.spdx,
        "licence_class": kernel.licence.kind.value,
        "unit": unit.digest if unit else "",
        "cluster": unit.token_digest if unit else "",
        "definition": definition,
        "unit_problem": unit_problem_code(kernel),
        "encoded": encoded,
    }


def tag_rows(number: int, kernel: Kernel) -> Iterator[Row]:
    """Yield the rows of a kernel's tags."""
    for tag in sorted(set(kernel.tags)):
        yield {"kernel": number, "tag": tag}


def operator_rows(number: int, kernel: Kernel) -> Iterator[Row]:
    """Yield the rows of the operators that reach a kernel."""
    for name in operator_names(kernel):
        yield {"kernel": number, "name": name}


def instantiation_rows(number: int, kernel: Kernel) -> Iterator[Row]:
    """Yield the rows of a kernel's instantiations."""
    for position, instantiation in enumerate(kernel.instantiations):
        yield {
            "kernel": number,
            "position": position,
            "label": instantiation.label,
            "arguments": json.dumps(instantiation.arguments),
            "symbol": instantiation.symbol,
            "origin": instantiation.origin.value,
        }


def launch_rows(number: int, kernel: Kernel) -> Iterator[Row]:
    """Yield the rows of a kernel's launch sites."""
    for position, launch in enumerate(kernel.launches):
        yield {
            "kernel": number,
            "position": position,
            "path": launch.span.path,
            "line": launch.span.line,
            "grid": launch.grid,
            "block": launch.block,
            "shared_bytes": launch.shared_bytes,
            "stream": launch.stream,
            "enclosing": launch.enclosing,
            "found_by": launch.found_by.value,
        }


def build_row(build: Build, encoded: str) -> Row:
    """Return a build's row; `encoded` is the digest of its JSON."""
    return {
        "unit": build.unit,
        "target": build.target,
        "toolchain": build.toolchain.digest,
        "compiler": build.toolchain.compiler,
        "status": build.pass_call.status.value,
        "code": build.pass_call.code,
        "message": build.pass_call.message,
        "form": build.form,
        "loaded": build.loaded,
        "object": build.object_digest,
        "seconds": build.seconds,
        "fidelity": build.fidelity.value if build.fidelity else "",
        "encoded": encoded,
    }


def run_row(run: Run, encoded: str) -> Row:
    """Return a run's row; `encoded` is the digest of its JSON."""
    return {
        "unit": run.unit,
        "device": run.device,
        "details": run.details,
        "toolchain": run.toolchain.digest,
        "compiler": run.toolchain.compiler,
        "instantiation": run.instantiation,
        "is_further": run.is_further,
        "extents": run.extents.value if run.extents else "",
        "behaviour": run.behaviour.value,
        "oracle": run.oracle.value,
        "suite": run.suite,
        "cases": run.cases,
        **_verdict_columns("exe", run.pass_exe),
        **_verdict_columns("perf", run.pass_perf),
        "branches": run.strength.branches,
        "branches_reached": run.strength.branches_reached,
        "mutants": run.strength.mutants,
        "killed": run.strength.killed,
        "strength": run.strength.strength_class.value,
        "seconds": run.seconds,
        "encoded": encoded,
    }


def text_rows(number: int, kernel: Kernel) -> list[Row]:
    """Return the row with the words of a kernel."""
    return [{"kernel": number, "words": join_words(kernel)}]


def suite_row(suite: Suite, digest: str) -> Row:
    """Return the row of a suite whose JSON has `digest`."""
    shown_cases = [case for case in suite.cases if not case.hidden]
    return {
        "digest": digest,
        "unit": suite.unit,
        "seed": suite.seed,
        "oracle": suite.oracle.value,
        "cases": len(shown_cases),
        "contents": json.dumps(sorted(_content_digests(suite))),
    }


def _content_digests(suite: Suite) -> set[str]:
    """Return the digests of all inputs and golden outputs of a suite."""
    digests: set[str] = set()
    for case in suite.cases:
        for buffer in case.buffers:
            digests.update((buffer.content, buffer.gold, buffer.gold_filled))

    # empty where a buffer has none
    digests.discard("")
    return digests


def _verdict_columns(prefix: str, verdict: Verdict | None) -> Row:
    """Return the columns of a verdict, empty where there is none."""
    return {
        f"{prefix}_status": verdict.status.value if verdict else "",
        f"{prefix}_code": verdict.code if verdict else "",
        f"{prefix}_message": verdict.message if verdict else "",
    }
