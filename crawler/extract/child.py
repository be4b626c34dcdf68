"""The process that parses: `python -m crawler.extract.child ROOT`.

It reads requests from standard input and writes the facts of each to standard output, both as JSON behind its length in
4 bytes, least significant first. It may crash or hang: that costs its parent the one unit, and it starts another.
"""

from __future__ import annotations

import struct
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from crawler import codec
from crawler.extract.observe import observe, syntax_alone
from crawler.extract.source import Sources
from crawler.model import CompileCommand, UnitFacts

LENGTH = struct.Struct("<I")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A unit to look at: by its AST too, or by syntax alone, because of what its parse came to."""

    command: CompileCommand
    failure: str = ""


def write_message(stream: IO[bytes], content: bytes) -> None:
    """Write one message and flush it."""
    stream.write(LENGTH.pack(len(content)) + content)
    stream.flush()


def main() -> int:
    """Serve until the parent closes our standard input."""
    root = Path(sys.argv[1])
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    sources = Sources(root)
    while head := requests.read(LENGTH.size):
        request = codec.decode(requests.read(LENGTH.unpack(head)[0]), Request)
        write_message(answers, codec.encode(_facts(root, request, sources)))
    return 0


def _facts(root: Path, request: Request, sources: Sources) -> UnitFacts:
    if request.failure:
        return syntax_alone(root, request.command, request.failure)
    try:
        sources.trim()
        return observe(root, request.command, sources)
    except Exception as error:  # a bug of ours costs one unit, and says which
        traceback.print_exc()
        return syntax_alone(root, request.command, f"internal: {type(error).__name__}: {error}")


if __name__ == "__main__":
    raise SystemExit(main())
