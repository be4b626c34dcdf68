"""Encode launches as the job file that an emulated program reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from crawler.validate.emulator.launch import Buffer, KernelLaunch, Pointer

_DEFAULT_SHARED_FILL: Final = 0xFF
_NO_CONTENT: Final = -1
_NULL_BUFFER: Final = -1
_PADDING: Final = b"\xff"


def encode_job(launches: Iterable[KernelLaunch], stack_bytes: int) -> tuple[str, bytes]:
    """Return the job that runs `launches` in turn, and the contents of their buffers."""
    lines = [f"stack {stack_bytes >> 10}"]
    inputs = _Inputs()
    mutant = 0
    shared_fill = _DEFAULT_SHARED_FILL

    for launch in launches:
        # both hold for all launches behind them
        if launch.mutant != mutant:
            mutant = launch.mutant
            lines.append(f"mutant {mutant}")

        if launch.shared_fill != shared_fill:
            shared_fill = launch.shared_fill
            lines.append(f"fill {shared_fill}")

        lines += _iter_launch_lines(launch, inputs)

    lines.append("")

    return "\n".join(lines), bytes(inputs.content)


class _Inputs:
    """The contents of all buffers, each once."""

    def __init__(self) -> None:
        self.content = bytearray()
        self._offsets: dict[bytes, int] = {}

    def add(self, buffer: Buffer) -> int:
        """Return where a buffer's content stands; -1 without one."""
        if buffer.content is None:
            return _NO_CONTENT

        content = buffer.content[: buffer.size].ljust(buffer.size, _PADDING)
        if content not in self._offsets:
            self._offsets[content] = len(self.content)
            self.content += content

        return self._offsets[content]


def _iter_launch_lines(launch: KernelLaunch, inputs: _Inputs) -> Iterator[str]:
    numbers = (
        *launch.grid,
        *launch.block,
        launch.shared_bytes,
        int(launch.order),
        launch.seed,
    )
    words = " ".join(str(number) for number in numbers)
    yield f"launch {launch.entry} {words} {launch.max_seconds}"

    for buffer in launch.buffers:
        yield f"buffer {buffer.size} {inputs.add(buffer)}"

    yield from _iter_pointer_lines(
        "link", [buffer.pointers for buffer in launch.buffers]
    )

    for argument in launch.arguments:
        yield f"argument {argument.content.hex()}"

    yield from _iter_pointer_lines(
        "patch", [argument.pointers for argument in launch.arguments]
    )
    yield "go"


def _iter_pointer_lines(
    word: str, owners: Sequence[tuple[tuple[int, Pointer], ...]]
) -> Iterator[str]:
    for number, pointers in enumerate(owners):
        for offset, pointer in pointers:
            target = _NULL_BUFFER if pointer.buffer is None else pointer.buffer
            yield f"{word} {number} {offset} {target} {pointer.offset}"
