"""Read the results of TritonBench and GaAgent: rows, and the memory that an agent kept of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from crawler.dataset.imported.json_values import JsonObject
from crawler.dataset.imported.sample import ImportedSample
from crawler.errors import Misconfigured

_MAX_LINE_BYTES: Final = 16 << 20
"""A row holds two sources, a test and what was asked."""
_MAX_MEMORY_BYTES: Final = 256 << 20
"""The memory is one JSON object, which has to be held as a whole."""
_MAX_NAME_CHARACTERS: Final = 1000
_SHOWN_CHARACTERS: Final = 80


class TritonBenchResults:
    """The rows of a file of JSON Lines, joined by file name with an agent's memory."""

    def __init__(self, rows: Path, memory: Path | None = None) -> None:
        """Read the memory, if there is one; raises as `__iter__` does."""
        self._rows = rows
        self._memory = _read_memory(memory) if memory else {}
        self._names: set[str] = set()

    def __iter__(self) -> Iterator[ImportedSample]:
        """Yield the samples in the order of their rows.

        Raises `Misconfigured` (`bad-import`) for what is no such file, and for a name that two
        rows have.
        """
        lines: dict[str, int] = {}
        try:
            with self._rows.open("rb") as file:
                for number, line in enumerate(_iter_lines(file), 1):
                    if not line.strip():
                        continue

                    place = f"line {number}"
                    sample = self._read_sample(_load_json(line, place), place)
                    earlier = lines.setdefault(sample.filename, number)
                    if earlier != number:
                        name = _show(sample.filename)
                        raise ValueError(
                            f"lines {earlier} and {number} are both of {name}: "
                            "give each file name once"
                        )
                    yield sample
        except (OSError, ValueError, RecursionError) as error:
            raise _refuse(self._rows, error) from error

        self._names = set(lines)

    def list_unmatched_names(self) -> Sequence[str]:
        """Return the names of the memory that no row had, after all rows were read."""
        return [name for name in self._memory if name not in self._names]

    def _read_sample(self, value: Any, place: str) -> ImportedSample:
        row = JsonObject(value, place)
        filename = _read_filename(value, place)
        # what the agent remembers is newer than the row
        memory = self._memory.get(filename, value)
        judged = JsonObject(memory, f"the memory of {_show(filename)}")
        return ImportedSample(
            filename=filename,
            instruction=row.read_text("instruction"),
            label=row.read_text("label"),
            predict=row.read_text("predict"),
            test_code=row.read_text("test_code"),
            pass_call=judged.read_verdict("pass_call"),
            pass_exe=judged.read_verdict("pass_exe"),
            pass_perf=judged.read_verdict("pass_perf"),
            call_error=judged.read_text("call_err_msg"),
            exe_error=judged.read_text("exe_err_msg"),
            perf_error=judged.read_text("perf_err_msg"),
            call_candidates=_read_candidates(judged, "call"),
            exe_candidates=_read_candidates(judged, "exe"),
            perf_candidates=_read_candidates(judged, "perf"),
            strategy=_read_strategy(judged),
            reflection=judged.read_text("reflection"),
        )


def _read_candidates(judged: JsonObject, stage: str) -> tuple[str, ...]:
    """Return the sources of `call_candidate` and `call_candidates`, each once."""
    single = judged.read_texts(f"{stage}_candidate")
    several = judged.read_texts(f"{stage}_candidates")
    return tuple(dict.fromkeys((*single, *several)))


def _read_strategy(judged: JsonObject) -> str:
    parts = [judged.read_text(f"{kind}_strategy") for kind in ("temp", "perf")]
    return "\n\n".join(dict.fromkeys(part for part in parts if part))


def _read_filename(row: dict[str, Any], place: str) -> str:
    filename = row.get("filename")
    if not isinstance(filename, str) or not filename.strip():
        raise ValueError(f"{place} has no `filename`: it is what results are joined by")
    if len(filename) > _MAX_NAME_CHARACTERS or not filename.isprintable():
        raise ValueError(
            f"the `filename` of {place} is no name of a file: "
            f"give at most {_MAX_NAME_CHARACTERS} printable characters"
        )
    return filename


def _read_memory(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > _MAX_MEMORY_BYTES:
            raise ValueError(f"it has more than {_MAX_MEMORY_BYTES >> 20} MiB")

        memory = _load_json(path.read_bytes(), "it")
        if not isinstance(memory, dict):
            raise ValueError("it is no object whose keys are file names")
    except (OSError, ValueError, RecursionError) as error:
        raise _refuse(path, error) from error

    return memory


def _iter_lines(file: Any) -> Iterator[bytes]:
    number = 0
    while line := file.readline(_MAX_LINE_BYTES + 1):
        number += 1
        if len(line) > _MAX_LINE_BYTES:
            raise ValueError(
                f"line {number} is longer than {_MAX_LINE_BYTES >> 20} MiB"
            )
        yield line


def _load_json(content: bytes, place: str) -> Any:
    try:
        return json.loads(content, object_pairs_hook=_make_object)
    except json.JSONDecodeError as error:
        problem = f"{error.msg}, character {error.pos}"
        raise ValueError(f"{place} is no JSON ({problem})") from None
    except UnicodeDecodeError:
        raise ValueError(f"{place} is no UTF-8") from None


def _make_object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; of two values under one key neither is the right one."""
    made = dict(pairs)
    if len(made) == len(pairs):
        return made

    seen_names: set[str] = set()
    for key, _ in pairs:
        if key in seen_names:
            raise ValueError(f"the key {_show(key)} stands twice in one object")
        seen_names.add(key)
    raise AssertionError("no key stands twice")


def _show(name: str) -> str:
    """Return a name that is short enough for an error."""
    shown_name = (
        name if len(name) <= _SHOWN_CHARACTERS else f"{name[:_SHOWN_CHARACTERS]}…"
    )
    return f"`{shown_name}`"


def _refuse(path: Path, error: Exception) -> Misconfigured:
    problem = str(error)
    if isinstance(error, RecursionError):
        problem = "its objects lie in each other too deeply"
    return Misconfigured(
        f"{path} cannot be imported: {problem}; nothing was stored", code="bad-import"
    )
