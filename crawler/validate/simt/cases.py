"""A case of a suite as a launch of a program."""

from __future__ import annotations

from crawler.model import Case, CaseArgument, CaseBuffer, CasePointer
from crawler.validate.blobs import Blobs
from crawler.validate.simt.launch import Argument, Buffer, Launch, Order, Pointer


def launch_of(
    case: Case, blobs: Blobs, *, order: Order = Order.FORWARD, seed: int = 0, seconds: float = 10.0
) -> Launch:
    """Return `case` as a launch; raises `KeyError` where `blobs` lacks a content."""
    return Launch(
        entry=case.entry,
        grid=case.grid,
        block=case.block,
        shared_bytes=case.shared_bytes,
        buffers=tuple(_buffer(each, blobs) for each in case.buffers),
        arguments=tuple(_argument(each) for each in case.arguments),
        order=order,
        seed=seed,
        seconds=seconds,
    )


def _buffer(buffer: CaseBuffer, blobs: Blobs) -> Buffer:
    content = blobs.get(buffer.content) if buffer.content else None
    return Buffer(size=buffer.size, content=content, pointers=_pointers(buffer.pointers))


def _argument(argument: CaseArgument) -> Argument:
    return Argument(content=bytes.fromhex(argument.content), pointers=_pointers(argument.pointers))


def _pointers(pointers: tuple[CasePointer, ...]) -> tuple[tuple[int, Pointer], ...]:
    return tuple((each.at, Pointer(buffer=each.buffer, offset=each.offset)) for each in pointers)
