"""Read values of a stranger's JSON object: each has the type that it should have, or is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_ABSENT_TEXT: Final = "None"
"""What an agent in Python writes for a message that it does not have: `str(None)`."""


class JsonObject:
    """An object of a file, with what to call it in an error."""

    def __init__(self, value: object, place: str) -> None:
        """Raise `ValueError` where the value is no object."""
        if not isinstance(value, dict):
            raise ValueError(
                f"{place} is {_name_type(value)} and no object: "
                "give one object for each sample"
            )
        self._values: Mapping[str, Any] = value
        self._place = place

    def read_text(self, key: str) -> str:
        """Return a text, empty where there is none; lines of a list are joined."""
        return "\n".join(self.read_texts(key))

    def read_texts(self, key: str) -> tuple[str, ...]:
        """Return the texts of a list, or the one text that stands in its place.

        In place of a text a list may stand whose first part it is, as `[code, milliseconds]`.
        """
        value = self._values.get(key)
        if value is None or value in ("", _ABSENT_TEXT):
            return ()
        if isinstance(value, str):
            return (_make_encodable(value),)
        if not isinstance(value, list):
            raise self._refuse(key, value, "a text, or a list of texts")

        texts: list[str] = []
        for part in value:
            text = part[0] if isinstance(part, list) and part else part
            if text is None:
                continue
            if not isinstance(text, str):
                raise self._refuse(key, text, "a list of texts")
            texts.append(_make_encodable(text))

        return tuple(texts)

    def read_verdict(self, key: str) -> bool | None:
        """Return whether something passed, `None` where it was not run."""
        value = self._values.get(key)
        if value is None or isinstance(value, bool):
            return value
        raise self._refuse(key, value, "true, false or null")

    def _refuse(self, key: str, value: object, wanted_type: str) -> ValueError:
        return ValueError(
            f"`{key}` of {self._place} is {_name_type(value)}: give {wanted_type}"
        )


def _make_encodable(text: str) -> str:
    # what a compiler printed may hold bytes of no text, which JSON keeps as lone surrogates
    return text.encode("utf-8", "replace").decode()


def _name_type(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    names: dict[type, str] = {str: "a text", list: "a list", dict: "an object"}
    return names[type(value)]
