"""The process that parses: `python -m crawler.extract.parser_process.child ROOT`.

It reads requests from standard input and writes the facts of each to standard output. A message
is a letter, a length in 4 bytes, least significant first, and its content. Before its facts it
may ask for preludes that it lacks: `p` and a variant, answered by `p` and the precompiled
header; and it may say `t`: from here on it compiles units and what was made up for them, which
it can be asked to leave. It may crash or hang: that costs its parent the one unit, or what was
made up for it, and it starts another.
"""

from __future__ import annotations

import math
import resource
import struct
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Final

from crawler import codec
from crawler.cpp.files.source_text import SourceFiles
from crawler.extract.clang import precompiled_preludes
from crawler.extract.translation_unit_facts import extract_unit_facts
from crawler.extract.unit.syntax_fallback import extract_facts_from_syntax
from crawler.model import CompileCommand, UnitFacts

MESSAGE_HEADER = struct.Struct("<cI")
FACTS_KIND, PRELUDE_KIND, REQUEST_KIND, TRIAL_KIND = b"f", b"p", b"r", b"t"
START_KIND: Final = b"s"
"""What a child sends before anything is asked: it could load all that it needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseRequest:
    """A unit to look at: by its AST too, or by syntax alone, because of what its parse came to."""

    command: CompileCommand
    failure: str = ""
    own_file_only: bool = False
    """Whether syntax is asked of the unit's own file, and not of those that it includes."""
    cpu_seconds: float = 0.0
    """What it may take of a processor; nothing bounds it where it is 0."""
    may_try: bool = True
    """Whether units, and what is made up for templates that nothing uses, are compiled."""


def pack_message(message_kind: bytes, content: bytes) -> bytes:
    """Return a message as it is written."""
    return MESSAGE_HEADER.pack(message_kind, len(content)) + content


def main() -> int:
    """Serve until the parent closes our standard input."""
    root = Path(sys.argv[1])
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    # what libraries print must not stand among the messages
    sys.stdout = sys.stderr

    def request_prelude(variant: precompiled_preludes.PreludeVariant) -> bytes:
        _write_message(
            answers,
            PRELUDE_KIND,
            codec.encode(variant),
        )
        return _read_message(requests) or b""

    def announce_trial() -> bool:
        _write_message(answers, TRIAL_KIND, b"")
        return True

    precompiled_preludes.provide_prelude = request_prelude
    sources = SourceFiles(root)
    _write_message(answers, START_KIND, b"")
    while (content := _read_message(requests)) is not None:
        request = codec.decode(content, ParseRequest)
        # announced once for each request
        is_trial_allowed = cache(announce_trial) if request.may_try else _forbid_trials
        _limit_cpu(request.cpu_seconds)
        facts = _extract_facts(
            root,
            request,
            sources,
            is_trial_allowed,
        )
        _write_message(answers, FACTS_KIND, codec.encode(facts))

    return 0


def _forbid_trials() -> bool:
    return False


def _write_message(stream: IO[bytes], kind: bytes, content: bytes) -> None:
    stream.write(pack_message(kind, content))
    stream.flush()


def _read_message(stream: IO[bytes]) -> bytes | None:
    """Return the content of the next message; `None` where there is none."""
    header = stream.read(MESSAGE_HEADER.size)
    if len(header) != MESSAGE_HEADER.size:
        return None

    _, size = MESSAGE_HEADER.unpack(header)

    return stream.read(size)


def _limit_cpu(seconds: float) -> None:
    """Let the kernel end us when this unit has taken too much of a processor, however slowly it
    got that.
    """
    if seconds <= 0:
        return

    usage = resource.getrusage(resource.RUSAGE_SELF)
    soft_limit = math.ceil(usage.ru_utime + usage.ru_stime + seconds)
    _, hard_limit = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (soft_limit, hard_limit))


def _extract_facts(
    root: Path,
    request: ParseRequest,
    sources: SourceFiles,
    is_trial_allowed: Callable[[], bool],
) -> UnitFacts:
    command = request.command
    if request.failure:
        return extract_facts_from_syntax(
            root,
            command,
            request.failure,
            own_file_only=request.own_file_only,
        )

    try:
        # files are kept from one request to the next
        sources.evict_if_large()
        return extract_unit_facts(
            root,
            command,
            sources,
            is_trial_allowed=is_trial_allowed,
        )
    except Exception as error:  # a bug of ours costs one unit, and says which
        traceback.print_exc()
        failure = f"internal: {type(error).__name__}: {error}"
        return extract_facts_from_syntax(root, command, failure)


if __name__ == "__main__":
    raise SystemExit(main())
