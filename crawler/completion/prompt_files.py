"""Read prompts: the files of this package, or those of a folder of one's own beside them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from string import Template
from typing import Final

from crawler.errors import Misconfigured

Placeholders = Mapping[str, frozenset[str]]
"""Name of a prompt's file, without `.md`, to what may stand in it as `$NAME`."""
FEEDBACK_PLACEHOLDERS: Final = frozenset(("number", "verdict", "messages"))
"""What may stand in a prompt that tells of an attempt."""
_MAX_PROMPT_BYTES: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Prompts:
    """The prompts of a run."""

    templates: Mapping[str, str]
    """Name to text."""

    @property
    def digest(self) -> str:
        """Sha256 of all of them."""
        state = hashlib.sha256()
        for name, text in sorted(self.templates.items()):
            state.update(f"{name} {len(text)} {text}".encode())
        return state.hexdigest()

    def render(self, name: str, **values: str) -> str:
        """Return a prompt with `values` in the places of their names."""
        return Template(self.templates[name]).substitute(values)


def load_prompts(placeholders: Placeholders, folder: Path | None = None) -> Prompts:
    """Return the prompts with these names out of `folder`, and our own where it has none.

    Raises `Misconfigured` where the folder has none, or one of them names what there is not.
    """
    if folder is not None and not any(
        (folder / f"{name}.md").is_file() for name in placeholders
    ):
        names = ", ".join(f"{name}.md" for name in placeholders)
        raise Misconfigured(
            f"{folder} has no prompts: name a folder with some of {names}",
            code="bad-prompt-file",
        )

    return Prompts(
        {
            name: _read_prompt(name, names, folder)
            for name, names in placeholders.items()
        }
    )


def _read_prompt(name: str, placeholders: frozenset[str], folder: Path | None) -> str:
    own_file = folder / f"{name}.md" if folder else None
    if own_file is None or not own_file.is_file():
        package = resources.files(f"{__package__}.prompts")
        return package.joinpath(f"{name}.md").read_text("utf-8")

    try:
        with own_file.open("rb") as file:
            text = file.read(_MAX_PROMPT_BYTES + 1).decode()
    except (OSError, UnicodeDecodeError) as problem:
        raise Misconfigured(
            f"{own_file} cannot be read as a text: {problem}", code="bad-prompt-file"
        ) from problem

    _check_prompt(own_file, text, placeholders)
    return text


def _check_prompt(file: Path, text: str, placeholders: frozenset[str]) -> None:
    template = Template(text)
    if len(text.encode()) > _MAX_PROMPT_BYTES:
        reason = f"has over {_MAX_PROMPT_BYTES} bytes"
    elif not template.is_valid():
        reason = "has a `$` that begins no name: write `$$` for the letter itself"
    elif unknown := set(template.get_identifiers()) - placeholders:
        reason = f"names ${min(unknown)}, and may name {_list_names(placeholders)}"
    else:
        return
    raise Misconfigured(f"{file} {reason}", code="bad-prompt-file")


def _list_names(names: frozenset[str]) -> str:
    return ", ".join(f"${name}" for name in sorted(names)) or "nothing"
