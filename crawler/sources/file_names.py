"""Validate file names of untrusted archives and trees, and spell them as text."""

from __future__ import annotations

import hashlib
import re
from pathlib import PurePosixPath
from typing import Final

from crawler.errors import BadArchive

# In bytes, as Linux file systems count them.
_MAX_PATH_BYTES: Final = 1_000
_MAX_NAME_BYTES: Final = 255
_KEPT_CHARACTERS: Final = 50
_MAX_SUFFIX_CHARACTERS: Final = 16
_ESCAPE: Final = r"%(25|5C|7F|0[1-9A-F]|1[0-9A-F]|[89A-F][0-9A-F])"
# the name of a file, as text and as bytes
_LITERAL_ESCAPE: Final = re.compile(_ESCAPE)
_ESCAPED_BYTE: Final = re.compile(_ESCAPE.encode())


def check_member_name(name: str) -> None:
    """Raise `BadArchive` for a path that leaves its folder, or that no file system accepts."""
    path = PurePosixPath(name)
    parts = path.parts
    leaves_folder = path.is_absolute() or ".." in parts or not parts
    # Windows takes a backslash for a separator.
    if leaves_folder or "\0" in name or "\\" in name:
        raise _make_error(
            f"a member is called {name[:80]!r}, which would leave its folder"
        )

    longest_part = max(_count_bytes(part) for part in parts)
    if _count_bytes(name) > _MAX_PATH_BYTES or longest_part > _MAX_NAME_BYTES:
        raise _make_error(f"a member's name is too long ({name[:40]!r}…)")


def is_printable_name(name: str) -> bool:
    """Tell whether a path is text without control characters.

    Any other path can neither be stored nor be named to a compiler.
    """
    return name.isprintable()


def spell_name(name: str) -> str:
    """Return a name as text: bytes that are none, and signs that cannot be seen, as `%F6`.

    Two names are never spelled alike, so a name that holds such an escape has its own escaped.
    """
    if name.isprintable() and "%" not in name and "\\" not in name:
        return name

    unambiguous = _LITERAL_ESCAPE.sub(r"%25\1", name)
    return "".join(map(_spell_sign, unambiguous))


def read_spelling(spelled: str) -> str:
    """Return the name that `spell_name` has spelled so."""
    raw = _ESCAPED_BYTE.sub(_read_byte, _encode(spelled))
    return raw.decode("utf-8", "surrogateescape")


def spell_path(path: str) -> str:
    """Return a path as `spell_name` does, short enough for a file system.

    A name that its escapes make too long is cut, with a digest.
    """
    spelled = spell_name(path)
    if spelled == path:
        return path

    parts = [_shorten(part) for part in spelled.split("/")]
    short_path = "/".join(parts)
    if _count_bytes(short_path) > _MAX_PATH_BYTES:
        return f"~{_digest(spelled)}/{parts[-1]}"
    return short_path


def _spell_sign(sign: str) -> str:
    if sign.isprintable() and sign != "\\":
        return sign
    return "".join(f"%{byte:02X}" for byte in _encode(sign))


def _read_byte(escape: re.Match[bytes]) -> bytes:
    return bytes.fromhex(escape[1].decode())


def _shorten(part: str) -> str:
    if _count_bytes(part) <= _MAX_NAME_BYTES:
        return part

    suffix = PurePosixPath(part).suffix
    kept_suffix = suffix if len(suffix) <= _MAX_SUFFIX_CHARACTERS else ""
    return f"{part[:_KEPT_CHARACTERS]}~{_digest(part)}{kept_suffix}"


def _digest(text: str) -> str:
    return hashlib.sha256(_encode(text)).hexdigest()[:16]


def _count_bytes(text: str) -> int:
    return len(_encode(text))


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _make_error(reason: str) -> BadArchive:
    return BadArchive(f"{reason}: the archive is refused, report it to its author")
