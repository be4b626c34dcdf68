"""The text and the inputs by which a program is told what to run: `cpu/job.h` reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from crawler.validate.simt.launch import Buffer, Launch, Pointer


def job(launches: Iterable[Launch], stack_bytes: int) -> tuple[str, bytes]:
    """Return the job that runs `launches` in turn, and the contents of their buffers."""
    lines = [f"stack {stack_bytes >> 10}"]
    inputs = bytearray()
    for launch in launches:
        lines.append(_head(launch))
        for buffer in launch.buffers:
            lines.append(f"buffer {buffer.size} {-1 if buffer.content is None else len(inputs)}")
            inputs += _content(buffer)
        lines += _pointers("link", [each.pointers for each in launch.buffers])
        lines += (f"argument {each.content.hex()}" for each in launch.arguments)
        lines += _pointers("patch", [each.pointers for each in launch.arguments])
        lines.append("go")
    return "\n".join([*lines, ""]), bytes(inputs)


def _head(launch: Launch) -> str:
    numbers = (*launch.grid, *launch.block, launch.shared_bytes, int(launch.order), launch.seed)
    return f"launch {launch.entry} {' '.join(map(str, numbers))} {launch.seconds}"


def _content(buffer: Buffer) -> bytes:
    if buffer.content is None:
        return b""
    return buffer.content[: buffer.size].ljust(buffer.size, b"\xff")


def _pointers(word: str, owners: Sequence[tuple[tuple[int, Pointer], ...]]) -> Iterator[str]:
    for number, pointers in enumerate(owners):
        for at, pointer in pointers:
            target = -1 if pointer.buffer is None else pointer.buffer
            yield f"{word} {number} {at} {target} {pointer.offset}"
