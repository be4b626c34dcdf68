"""Options of the commands about reviews, and the values that they result in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Final

import typer

from crawler.errors import Misconfigured
from workers.cli.terminal import print_note

if TYPE_CHECKING:
    from crawler.model import ChecklistItem, ReviewComment
    from storage.interfaces import KernelIndex
    from workers.config.settings import Settings

ReviewerOption = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Who reviews; the setting `reviewer`, or your login name, when left out.",
    ),
]
UnitArgument = Annotated[
    str,
    typer.Argument(metavar="DIGEST", help="A unit's digest, or its start."),
]
MetOption = Annotated[
    str,
    typer.Option(
        metavar="LIST",
        help="What of the checklist holds: instruction-clear, code-and-description-agree, "
        "tests-cover, style; or `all`.",
    ),
]
UnmetOption = Annotated[
    str, typer.Option(metavar="LIST", help="What of the checklist does not hold.")
]
NoteOption = Annotated[str, typer.Option(help="What you say of the whole.")]
CommentOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PART:LINE:TEXT",
        help="A remark at a line of its source, port, prompt or tests; once for each.",
    ),
]
# `port:12:Why is this volatile?`, and the beginning of a unit's digest
_COMMENT: Final = re.compile(r"([a-z]+):(\d{1,9}):(.+)", re.DOTALL)
_PREFIX: Final = re.compile(r"[0-9a-f]{4,64}")


def choose_reviewer(settings: Settings, name: str) -> str:
    """Return who reviews: the name that was given, else that of the settings, else the login's."""
    import getpass

    return name or settings.reviewer or getpass.getuser()


def find_unit(index: KernelIndex, which: str) -> str:
    """Return the digest of the one unit whose digest starts so; empty for none, which is said.

    Raises `Misconfigured` for several.
    """
    digests: list[str] = []
    if _PREFIX.fullmatch(which):
        # kernels of many places may share one unit
        counts = index.count_values("digest", f"digest = {which}*")
        digests = [count.value for count in counts]

    if not digests:
        print_note("no unit's digest starts so: `kernelset query` lists them")
        return ""
    if len(digests) > 1:
        raise Misconfigured(
            f"the digests of {len(digests)} units start with `{which}`:"
            " give more of its digits",
            code="bad-review",
        )
    return digests[0]


def parse_items(words: str) -> tuple[ChecklistItem, ...]:
    """Return the items of the checklist that a list names; raises `Misconfigured`."""
    from crawler.model import ChecklistItem

    if words.strip() == "all":
        return tuple(ChecklistItem)

    items: list[ChecklistItem] = []
    for word in filter(None, (part.strip() for part in words.split(","))):
        try:
            items.append(ChecklistItem(word))
        except ValueError:
            choices = ", ".join(ChecklistItem)
            raise Misconfigured(
                f"the checklist has no `{word[:60]}`: give some of {choices}, or `all`",
                code="bad-review",
            ) from None
    return tuple(items)


def parse_comment(text: str) -> ReviewComment:
    """Return the comment that `PART:LINE:TEXT` states; raises `Misconfigured`."""
    from crawler.model import ReviewComment, ReviewedPart

    match = _COMMENT.fullmatch(text)
    parts = list(ReviewedPart)
    if match is None or match[1] not in parts:
        names = ", ".join(parts)
        raise Misconfigured(
            f"`{text[:60]}` is no comment: write PART:LINE:TEXT, where PART is one of"
            f" {names}, and LINE is 0 for the whole",
            code="bad-review",
        )
    return ReviewComment(part=ReviewedPart(match[1]), line=int(match[2]), text=match[3])
