"""Launches of stored test cases."""

from __future__ import annotations

from crawler.model import Case, CaseArgument, CaseBuffer, CasePointer
from crawler.validate.emulator.launch import (
    Argument,
    Buffer,
    KernelLaunch,
    Pointer,
    ThreadOrder,
)
from crawler.validate.values.blobs import Blobs


def build_case_launch(
    case: Case,
    blobs: Blobs,
    *,
    order: ThreadOrder = ThreadOrder.FORWARD,
    seed: int = 0,
    max_seconds: float = 10.0,
) -> KernelLaunch:
    """Return `case` as a launch; raises `KeyError` where `blobs` lacks a content."""
    return KernelLaunch(
        entry=case.entry,
        grid=case.grid,
        block=case.block,
        shared_bytes=case.shared_bytes,
        buffers=tuple(_buffer(each, blobs) for each in case.buffers),
        arguments=tuple(_argument(each) for each in case.arguments),
        order=order,
        seed=seed,
        max_seconds=max_seconds,
    )


def _buffer(buffer: CaseBuffer, blobs: Blobs) -> Buffer:
    content = blobs.get(buffer.content) if buffer.content else None
    return Buffer(
        size=buffer.size, content=content, pointers=_pointers(buffer.pointers)
    )


def _argument(argument: CaseArgument) -> Argument:
    return Argument(
        content=bytes.fromhex(argument.content), pointers=_pointers(argument.pointers)
    )


def _pointers(pointers: tuple[CasePointer, ...]) -> tuple[tuple[int, Pointer], ...]:
    return tuple(
        (each.at, Pointer(buffer=each.buffer, offset=each.offset)) for each in pointers
    )
