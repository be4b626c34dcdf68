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
        buffers=tuple(_build_buffer(buffer, blobs) for buffer in case.buffers),
        arguments=tuple(_build_argument(argument) for argument in case.arguments),
        order=order,
        seed=seed,
        max_seconds=max_seconds,
    )


def _build_buffer(buffer: CaseBuffer, blobs: Blobs) -> Buffer:
    return Buffer(
        size=buffer.size,
        content=blobs.get(buffer.content) if buffer.content else None,
        pointers=_build_pointers(buffer.pointers),
    )


def _build_argument(argument: CaseArgument) -> Argument:
    return Argument(
        content=bytes.fromhex(argument.content),
        pointers=_build_pointers(argument.pointers),
    )


def _build_pointers(
    pointers: tuple[CasePointer, ...],
) -> tuple[tuple[int, Pointer], ...]:
    return tuple(
        (pointer.at, Pointer(buffer=pointer.buffer, offset=pointer.offset))
        for pointer in pointers
    )
