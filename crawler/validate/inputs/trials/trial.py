"""Trial launches: a configuration, buffer contents and a seed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from crawler.validate.emulator.execution_report import Execution
from crawler.validate.emulator.launch import (
    Argument,
    Buffer,
    KernelLaunch,
    Pointer,
    ThreadOrder,
)
from crawler.validate.emulator.program import Program
from crawler.validate.emulator.run_program import run_launches
from crawler.validate.evidence.launch_configuration import LaunchConfiguration
from crawler.validate.inputs.arguments.argument_layout import ArgumentLayout
from crawler.validate.inputs.trials.buffer_contents import generate_content
from crawler.validate.inputs.trials.trial_memory import TrialMemory

MAX_TRACE_SECONDS: Final = 5.0
_MAX_LINKED_ELEMENTS: Final = 1 << 10
"""Elements of a buffer that hold pointers."""
_RESEEDING_OFFSET: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A launch as it is tried: configuration, memory, seed."""

    configuration: LaunchConfiguration
    memory: TrialMemory
    seed: int
    entry: int = 0
    scalar_overrides: Mapping[str, int | float] = field(default_factory=dict)
    """Scalars that have other values than in the configuration."""
    reseeded_buffers: frozenset[int] = frozenset()
    """Buffers that have other numbers than their seed gives."""
    null_buffers: frozenset[int] = frozenset()
    """Buffers whose pointers are null."""
    aliases: Mapping[int, int] = field(default_factory=dict)
    """Buffers whose pointers point into another one."""
    max_seconds: float = MAX_TRACE_SECONDS
    """After which a traced run is given up."""

    def build_launch(
        self,
        layout: ArgumentLayout,
        *,
        order: ThreadOrder = ThreadOrder.FORWARD,
        max_seconds: float = 0.0,
    ) -> KernelLaunch:
        """Return the trial as a launch of the emulator."""
        return KernelLaunch(
            entry=self.entry,
            grid=self.configuration.grid,
            block=self.configuration.block,
            shared_bytes=self.configuration.shared_bytes,
            buffers=self.build_buffers(layout),
            arguments=self.build_arguments(layout),
            order=order,
            seed=1,
            max_seconds=max_seconds or self.max_seconds,
        )

    def build_buffers(self, layout: ArgumentLayout) -> tuple[Buffer, ...]:
        """Return each buffer, with the pointers that stand in it.

        All elements of a buffer point to the begin of the same further buffer.
        """
        contents = self.generate_contents()
        pointers: dict[int, list[tuple[int, Pointer]]] = {}

        for index, slot in enumerate(layout.buffer_slots):
            if slot.parent_slot < 0:
                continue

            element_size = self.memory.elements[slot.parent_slot].size
            element_count = len(contents[slot.parent_slot]) // element_size
            target = self._pointer_to(index)

            buffer_pointers = pointers.setdefault(slot.parent_slot, [])
            for element in range(min(element_count, _MAX_LINKED_ELEMENTS)):
                buffer_pointers.append((element * element_size + slot.offset, target))

        return tuple(
            Buffer(
                size=len(content),
                content=content,
                pointers=tuple(pointers.get(index, ())),
            )
            for index, content in enumerate(contents)
        )

    def list_buffer_names(self, layout: ArgumentLayout) -> tuple[str, ...]:
        """Return the name of each buffer: that of what points to it."""
        return tuple(slot.name for slot in layout.buffer_slots)

    def generate_contents(self) -> tuple[bytes, ...]:
        """Return the bytes of each buffer."""
        memory = self.memory
        contents: list[bytes] = []

        for index, (pattern, element, size, leading) in enumerate(
            zip(
                memory.patterns,
                memory.elements,
                memory.sizes,
                memory.leading_bytes,
                strict=True,
            )
        ):
            # The same buffer has the same numbers in every run of a trial.
            seed_index = index
            if index in self.reseeded_buffers:
                seed_index += _RESEEDING_OFFSET

            buffer_seed = derive_seed(self.seed, seed_index)
            contents.append(
                generate_content(pattern, element, size + leading, buffer_seed)
            )

        return tuple(contents)

    def build_arguments(self, layout: ArgumentLayout) -> tuple[Argument, ...]:
        """Return each argument: its numbers, and where its pointers point."""
        # Overrides come last: a case may switch a mode that the launch site fixes.
        values = {**self.configuration.scalars, **self.scalar_overrides}
        pointers: dict[int, list[tuple[int, Pointer]]] = {}

        for index, slot in enumerate(layout.buffer_slots):
            # Stands in a buffer, and no argument.
            if slot.parent_slot >= 0:
                continue

            is_null = index in self.null_buffers
            place = self.aliases.get(index, index)
            target = Pointer() if is_null else self._pointer_to(place)
            pointers.setdefault(slot.argument, []).append((slot.offset, target))

        return tuple(
            Argument(
                content=content,
                pointers=tuple(pointers.get(argument, ())),
            )
            for argument, content in enumerate(layout.pack_arguments(values))
        )

    def _pointer_to(self, buffer_index: int) -> Pointer:
        return Pointer(
            buffer=buffer_index, offset=self.memory.leading_bytes[buffer_index]
        )


def trace_trials(
    program: Program, layout: ArgumentLayout, trials: Sequence[Trial]
) -> tuple[Execution, ...]:
    """Run trials under the trace, all in one process family."""
    if not trials:
        return ()

    launches = [trial.build_launch(layout) for trial in trials]
    return run_launches(program, launches)


def derive_seed(seed: int, index: int) -> int:
    """Return the seed of one of many random streams."""
    return _hash_to_seed(f"{seed}:{index}")


def derive_unit_seed(unit_digest: str, seed: int) -> int:
    """Return the seed that the buffer contents of a unit derive from."""
    return _hash_to_seed(f"{unit_digest}:{seed}")


def _hash_to_seed(text: str) -> int:
    digest = hashlib.sha256(text.encode()).digest()
    return int.from_bytes(digest[:8], "big")
