"""The process that parses: `python -m crawler.extract.parser_process.child ROOT`.

It reads requests from standard input and writes the facts of each to standard output. A message
is a letter, a length
in 4 bytes, least significant first, and its content. Before its facts it may ask for preludes
that it lacks: `p` and a
variant, answered by `p` and the precompiled header; and it may say `t`: from here on it
compiles what was made up,
which it can be asked to leave. It may crash or hang: that costs its parent the one unit, or
what was made up for it,
and it starts another.
"""

from __future__ import annotations

import math
import resource
import struct
import sys
import traceback
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO

from crawler import codec
from crawler.cpp.source_text import SourceFiles
from crawler.extract.clang import precompiled_preludes
from crawler.extract.templates import uninstantiated_templates
from crawler.extract.translation_unit_facts import extract_unit_facts
from crawler.extract.unit.syntax_fallback import extract_facts_from_syntax
from crawler.model import CompileCommand, UnitFacts

MESSAGE_HEADER = struct.Struct("<cI")
FACTS_KIND, PRELUDE_KIND, REQUEST_KIND, TRIAL_KIND = b"f", b"p", b"r", b"t"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseRequest:
    """A unit to look at: by its AST too, or by syntax alone, because of what its parse came to."""

    command: CompileCommand
    failure: str = ""
    cpu_seconds: float = 0.0
    """What it may take of a processor; nothing bounds it where it is 0."""
    may_try: bool = True
    """Whether what is made up for templates that nothing uses is compiled."""


def pack_message(message_kind: bytes, content: bytes) -> bytes:
    """Return a message as it is written."""
    return MESSAGE_HEADER.pack(message_kind, len(content)) + content


def _write(stream: IO[bytes], kind: bytes, content: bytes) -> None:
    stream.write(pack_message(kind, content))
    stream.flush()


def main() -> int:
    """Serve until the parent closes our standard input."""
    root = Path(sys.argv[1])
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr

    def lent(variant: precompiled_preludes.PreludeVariant) -> bytes:
        _write(answers, PRELUDE_KIND, codec.encode(variant))
        return _read(requests) or b""

    def announced() -> bool:
        _write(answers, TRIAL_KIND, b"")
        return True

    precompiled_preludes.provide_prelude = lent
    sources = SourceFiles(root)
    while (content := _read(requests)) is not None:
        request = codec.decode(content, ParseRequest)
        is_trial_allowed = cache(announced) if request.may_try else _never
        _bound(request.cpu_seconds)
        _write(
            answers,
            FACTS_KIND,
            codec.encode(_facts(root, request, sources, is_trial_allowed)),
        )
    return 0


def _never() -> bool:
    return False


def _read(stream: IO[bytes]) -> bytes | None:
    """Return the content of the next message; `None` where there is none."""
    head = stream.read(MESSAGE_HEADER.size)
    return (
        stream.read(MESSAGE_HEADER.unpack(head)[1])
        if len(head) == MESSAGE_HEADER.size
        else None
    )


def _bound(seconds: float) -> None:
    """Let the kernel end us when this unit has taken too much of a processor, however slowly it
    got that.
    """
    if seconds > 0:
        spent = resource.getrusage(resource.RUSAGE_SELF)
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(
            resource.RLIMIT_CPU,
            (math.ceil(spent.ru_utime + spent.ru_stime + seconds), hard),
        )


def _facts(
    root: Path, request: ParseRequest, sources: SourceFiles, is_trial_allowed
) -> UnitFacts:
    if request.failure:
        return extract_facts_from_syntax(root, request.command, request.failure)
    try:
        sources.evict_if_large()
        return extract_unit_facts(
            root, request.command, sources, is_trial_allowed=is_trial_allowed
        )
    except Exception as error:  # a bug of ours costs one unit, and says which
        traceback.print_exc()
        return extract_facts_from_syntax(
            root, request.command, f"internal: {type(error).__name__}: {error}"
        )


if __name__ == "__main__":
    raise SystemExit(main())
