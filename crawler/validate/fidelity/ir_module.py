"""Read a module of LLVM's IR as functions, variables and types.

LLVM prints one statement a line, but for the bodies of functions
(https://releases.llvm.org/19.1.0/docs/LangRef.html#module-structure).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from hashlib import sha256
from typing import Final

from crawler.validate.fidelity.code_module import CodeItem, CodeModule

# of what clang prints: a name is bare or in quotes, within which quotes are spelt `\22`
_NAME: Final = r'(?:"[^"]*"|[-\w$.]+)'
# LLVM's IR, which is printed one way: a name wherever it stands, local values among them
_SYMBOL: Final = re.compile(rf"[@%]{_NAME}")
# LLVM's IR: the head of a function
_FUNCTION: Final = re.compile(rf"^(?:define|declare)\b[^@]*(@{_NAME})")
# LLVM's IR: a variable or a type, on a line of its own
_DEFINITION: Final = re.compile(rf"^([@%]{_NAME}) = (.*)$")
# LLVM's IR: a node of metadata, likewise
_NODE: Final = re.compile(r"^!(\d+) = (.*)$")
# LLVM's IR: a group of attributes, likewise
_ATTRIBUTES: Final = re.compile(r"^attributes #(\d+) = (.*)$")
# LLVM's IR: words of a head that say who else may have the same, or may set it
_LINKAGE: Final = re.compile(
    r"\b(?:private|internal|available_externally|linkonce_odr|linkonce|weak_odr|weak|common"
    r"|appending|extern_weak|external|dso_local|hidden|protected|local_unnamed_addr"
    r"|unnamed_addr|externally_initialized|comdat(?:\(\$[^)]*\))?)(?:\s+|$)"
)
# LLVM's IR: where inline assembly stands in the source, which is no part of the code
_SOURCE_PLACE: Final = re.compile(r", !srcloc !\d+")
# LLVM's IR: what an instruction or a head says by a number of its module, `!tbaa !9`, `#4`
_REFERENCE: Final = re.compile(r"!(\d+)\b|#(\d+)\b")
# LLVM's IR: a node by its number
_NODE_NUMBER: Final = re.compile(r"!(\d+)\b")
# LLVM's IR: types that an access may alias, named as in the source, which differ without a
# namespace
_TYPE_NAME: Final = re.compile(r'!"_ZTS[^"]*"')
# LLVM's IR: what is said of a kernel
_KERNEL_NOTE: Final = re.compile(rf'^!\{{ptr (@{_NAME}), !"([^"]+)", (.*)\}}$')
# LLVM's IR: a string of the source
_STRING: Final = re.compile(r'\bconstant \[\d+ x i8\] c"')
_KERNEL_MARK: Final = "kernel"
_KERNEL_CONVENTION: Final = " ptx_kernel "
_MAX_NODE_DEPTH: Final = 20


class IrModule(CodeModule):
    """A module of LLVM's IR by the names of its items."""

    def __init__(self, text: str) -> None:
        lines = text.splitlines()
        super().__init__(_iter_items(lines, _Numbers(lines)), _SYMBOL)


class _Numbers:
    """What the numbered attributes and metadata of a module say, apart from their numbers."""

    def __init__(self, lines: list[str]) -> None:
        self.kernel_notes: dict[str, list[str]] = defaultdict(list)
        """What `!nvvm.annotations` say of a symbol: that it is a kernel, and its launch bounds."""
        self._attributes: dict[str, str] = {}
        self._nodes: dict[str, str] = {}
        self._digests: dict[str, str] = {}
        for line in lines:
            if line.startswith("!"):
                self._add_node(line)
            elif attributes := _ATTRIBUTES.match(line):
                self._attributes[attributes[1]] = attributes[2]

    def expand(self, text: str) -> str:
        """Return `text` with what its numbers stand for, in short."""
        return _REFERENCE.sub(self._digest, _SOURCE_PLACE.sub("", text))

    def _add_node(self, line: str) -> None:
        node = _NODE.match(line)
        if node is None:
            return

        self._nodes[node[1]] = node[2]
        note = _KERNEL_NOTE.match(node[2])
        if note:
            self.kernel_notes[note[1]].append(f"{note[2]} {note[3]}")

    def _digest(self, reference: re.Match[str]) -> str:
        if reference[1] is not None:
            return self._digest_node(reference[1], ())

        known_digest = self._digests.get(reference[0])
        if known_digest is None:
            known_digest = _shorten(self._attributes.get(reference[2], ""))
            self._digests[reference[0]] = known_digest
        return known_digest

    def _digest_node(self, number: str, path: tuple[str, ...]) -> str:
        """Return a node by what it and those that it names say; that of a loop names itself.

        Each is spelt once: one that many name, and that names many, would be spelt without end.
        """
        if number in path or len(path) >= _MAX_NODE_DEPTH:
            return "itself"

        key = f"!{number}"
        known_digest = self._digests.get(key)
        if known_digest is None:
            text = _TYPE_NAME.sub('!"type"', self._nodes.get(number, ""))
            inner_path = (*path, number)
            known_digest = _shorten(
                _NODE_NUMBER.sub(
                    lambda inner: self._digest_node(inner[1], inner_path), text
                )
            )
            self._digests[key] = known_digest
        return known_digest


def _shorten(text: str) -> str:
    return f"<{sha256(text.encode()).hexdigest()[:12]}>"


def _iter_items(lines: list[str], numbers: _Numbers) -> Iterator[CodeItem]:
    position = 0
    while position < len(lines):
        line = lines[position]
        position += 1
        if line.startswith("define"):
            start = position
            while position < len(lines) and lines[position] != "}":
                position += 1
            body = "\n".join(_strip_comments(lines[start:position]))
            yield from _read_function(line.removesuffix("{"), body, numbers)
        elif line.startswith("declare"):
            yield from _read_function(line, "", numbers)
        else:
            yield from _read_definition(line, numbers)


def _read_function(head: str, body: str, numbers: _Numbers) -> Iterator[CodeItem]:
    function = _FUNCTION.match(head)
    if function is None:
        return

    name = function[1]
    notes = sorted(numbers.kernel_notes[name])
    is_kernel = _KERNEL_CONVENTION in head[: function.start(1)]
    is_kernel |= any(note.split()[0] == _KERNEL_MARK for note in notes)
    plain_head = numbers.expand(_LINKAGE.sub("", head))
    yield CodeItem(
        name=name,
        head=" ".join((plain_head.strip(), *notes)),
        body=numbers.expand(body),
        is_entry=is_kernel and bool(body),
    )


def _read_definition(line: str, numbers: _Numbers) -> Iterator[CodeItem]:
    """Yield the variable or the type that a line defines."""
    definition = _DEFINITION.match(line)
    if definition is None:
        return

    value = numbers.expand(_LINKAGE.sub("", definition[2]))
    yield CodeItem(
        name=definition[1],
        head=definition[1],
        body=value,
        is_text=_STRING.search(value) is not None,
    )


def _strip_comments(lines: list[str]) -> Iterator[str]:
    """Yield lines without what LLVM says of a block's predecessors, and without empty ones."""
    for line in lines:
        code = line.strip()
        # `12:                 ; preds = %3, %9`
        label, separator, _ = code.partition(":")
        if separator and label.isdigit():
            code = f"{label}:"
        if code:
            yield code
