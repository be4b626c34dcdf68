"""Encode launches as the job file that an emulated program reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from crawler.validate.emulator.launch import Buffer, KernelLaunch, Pointer


def encode_job(launches: Iterable[KernelLaunch], stack_bytes: int) -> tuple[str, bytes]:
    """Return the job that runs `launches` in turn, and the contents of their buffers."""
    lines = [f"stack {stack_bytes >> 10}"]
    inputs = bytearray()
    places: dict[bytes, int] = {}
    mutant, fill = 0, 0xFF
    for launch in launches:
        if launch.mutant != mutant:
            mutant = launch.mutant
            lines.append(f"mutant {mutant}")
        if launch.shared_fill != fill:
            fill = launch.shared_fill
            lines.append(f"fill {fill}")
        lines.append(_head(launch))
        for buffer in launch.buffers:
            lines.append(f"buffer {buffer.size} {_place(buffer, inputs, places)}")
        lines += _pointers("link", [each.pointers for each in launch.buffers])
        lines += (f"argument {each.content.hex()}" for each in launch.arguments)
        lines += _pointers("patch", [each.pointers for each in launch.arguments])
        lines.append("go")
    return "\n".join([*lines, ""]), bytes(inputs)


def _head(launch: KernelLaunch) -> str:
    numbers = (
        *launch.grid,
        *launch.block,
        launch.shared_bytes,
        int(launch.order),
        launch.seed,
    )
    return f"launch {launch.entry} {' '.join(map(str, numbers))} {launch.max_seconds}"


def _place(buffer: Buffer, inputs: bytearray, places: dict[bytes, int]) -> int:
    """Return where a buffer's content stands in the inputs, once for all that have the same; -1
    without one.
    """
    if buffer.content is None:
        return -1
    content = buffer.content[: buffer.size].ljust(buffer.size, b"\xff")
    if content not in places:
        places[content] = len(inputs)
        inputs += content
    return places[content]


def _pointers(
    word: str, owners: Sequence[tuple[tuple[int, Pointer], ...]]
) -> Iterator[str]:
    for number, pointers in enumerate(owners):
        for at, pointer in pointers:
            target = -1 if pointer.buffer is None else pointer.buffer
            yield f"{word} {number} {at} {target} {pointer.offset}"
