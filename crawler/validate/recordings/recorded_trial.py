"""A recorded launch as a trial: its own arguments and memory, whatever a layout would guess."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from crawler.validate.emulator.launch import Argument, Buffer, Pointer
from crawler.validate.inputs.arguments.argument_layout import ArgumentLayout
from crawler.validate.inputs.trials.buffer_contents import generate_content
from crawler.validate.inputs.trials.fill_patterns import Filling, FillPattern
from crawler.validate.inputs.trials.trial import Trial, derive_seed
from crawler.validate.values.element_types import ElementType
from crawler.validate.values.scalar_types import decode, encode

_POINTER_BYTES: Final = 8
_OTHER_DATA: Final = FillPattern(Filling.DATA)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedTrial(Trial):
    """A launch that somebody else made.

    Each pointer of the layout has a buffer, which is empty where another one points there, too,
    or it is null; buffers that only memory points to come behind these.
    """

    layout: ArgumentLayout
    """Of the arguments as they were recorded."""
    arguments: tuple[bytes, ...]
    pointers: tuple[tuple[int, int, Pointer], ...]
    """(argument, offset, what stands there)."""
    contents: tuple[bytes, ...]
    """Of each buffer, in which pointers are null."""
    links: tuple[tuple[tuple[int, Pointer], ...], ...]
    """Of each buffer: (offset, what stands there)."""
    names: tuple[str, ...]
    """Of each buffer."""

    def list_buffer_names(self, layout: ArgumentLayout) -> tuple[str, ...]:
        """Return the name of each buffer, whatever the layout."""
        return self.names

    def build_buffers(self, layout: ArgumentLayout) -> tuple[Buffer, ...]:
        """Return each buffer, with the pointers that stand in it."""
        return tuple(
            Buffer(size=len(content), content=content, pointers=links)
            for content, links in zip(self.generate_contents(), self.links, strict=True)
        )

    def generate_contents(self) -> tuple[bytes, ...]:
        """Return the bytes of each buffer: those that were recorded, or others like them."""
        return tuple(
            self._vary_content(index) if index in self.reseeded_buffers else content
            for index, content in enumerate(self.contents)
        )

    def build_arguments(self, layout: ArgumentLayout) -> tuple[Argument, ...]:
        """Return each argument as it was recorded; in a layout of wider or narrower numbers, with
        the same values.
        """
        contents = self.arguments
        if layout.argument_sizes != self.layout.argument_sizes:
            contents = self._convert_arguments(layout)

        arguments: list[Argument] = []
        for number, content in enumerate(contents):
            pointers = self._list_pointers(number, layout)
            cleared = _clear_pointers(content, pointers)
            arguments.append(Argument(content=cleared, pointers=tuple(pointers)))

        return tuple(arguments)

    def _list_pointers(
        self, number: int, layout: ArgumentLayout
    ) -> list[tuple[int, Pointer]]:
        """Return the pointers of an argument, each with its offset."""
        return [
            (offset, self._scale_pointer(pointer, layout))
            for argument, offset, pointer in self.pointers
            if argument == number
        ]

    def _convert_arguments(self, layout: ArgumentLayout) -> tuple[bytes, ...]:
        values: dict[str, int | float] = {}
        for slot in self.layout.scalar_slots:
            content = self.arguments[slot.argument]
            number = content[slot.offset : slot.offset + slot.scalar.size]
            values[slot.name] = decode(slot.scalar, number)[0]

        contents = [bytearray(size) for size in layout.argument_sizes]
        for slot in layout.scalar_slots:
            encoded = encode(slot.scalar, [values.get(slot.name, 0)])
            end = slot.offset + len(encoded)
            contents[slot.argument][slot.offset : end] = encoded

        return tuple(bytes(content) for content in contents)

    def _scale_pointer(self, pointer: Pointer, layout: ArgumentLayout) -> Pointer:
        """Return a pointer that is as many elements into its buffer as it was recorded."""
        buffer = pointer.buffer
        if buffer is None or buffer >= len(self.layout.buffer_slots):
            return pointer
        if buffer >= len(layout.buffer_slots):
            return pointer

        recorded = self.layout.buffer_slots[buffer].element
        wanted_element = layout.buffer_slots[buffer].element
        if (
            recorded is None
            or wanted_element is None
            or recorded.size == wanted_element.size
        ):
            return pointer

        offset = pointer.offset // recorded.size * wanted_element.size
        return Pointer(buffer=buffer, offset=offset)

    def _vary_content(self, index: int) -> bytes:
        """Return other contents of a buffer that mean something of the same kind."""
        content = self.contents[index]
        element = self.memory.elements[index]
        if self.links[index] or element.fields is not None:
            return content
        if element.scalar.is_real:
            seed = derive_seed(self.seed, index)
            return generate_content(_OTHER_DATA, element, len(content), seed)

        # other whole numbers might lead out of what they index: the same ones in another order
        return _reverse_elements(content, element)


def choose_pattern(element: ElementType) -> FillPattern:
    """Return how a buffer of such elements is said to be filled: with data, or with indices."""
    is_data = element.scalar.is_real and element.fields is None
    return FillPattern(Filling.DATA if is_data else Filling.SMALL_INTEGERS)


def _reverse_elements(content: bytes, element: ElementType) -> bytes:
    size = max(1, element.size)
    count = len(content) // size
    parts = [content[begin * size : (begin + 1) * size] for begin in range(count)]
    return b"".join(reversed(parts)) + content[count * size :]


def _clear_pointers(content: bytes, pointers: list[tuple[int, Pointer]]) -> bytes:
    # where they stood in the recorded process is nobody's affair
    cleared = bytearray(content)
    for offset, _ in pointers:
        cleared[offset : offset + _POINTER_BYTES] = bytes(_POINTER_BYTES)

    return bytes(cleared)
