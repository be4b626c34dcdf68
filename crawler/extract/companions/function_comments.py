"""Attach to kernels what comments say of them, of what launches them and of their files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from crawler.cpp.file_comments import read_file_comment
from crawler.cpp.files.source_text import SourceFiles
from crawler.cpp.leading_comments import MAX_CHARACTERS, read_leading_comment
from crawler.extract.describe.prose import summarise_prose
from crawler.model import CommentRole, FunctionComment, Kernel, OperatorRole, Span

_HOST_ROLES: Final = {
    OperatorRole.LAUNCHER: CommentRole.LAUNCHER,
    OperatorRole.DISPATCHER: CommentRole.DISPATCHER,
}
"""The host code whose comments are read, from the kernel outwards."""
_MAX_COMMENTS: Final = 3


def attach_comments(root: Path, kernels: Sequence[Kernel]) -> tuple[Kernel, ...]:
    """Return kernels with the first sentences of the comments that stand in front of them, of
    their launchers and of their files, each text once. The host code itself is expected to be
    there.
    """
    sources = SourceFiles(root)

    def read_comments(kernel: Kernel) -> tuple[FunctionComment, ...]:
        comments: dict[str, FunctionComment] = {}
        for role, name, span in _iter_functions(kernel):
            start = max(0, span.offset - MAX_CHARACTERS)
            before = sources[span.path].text_between(start, span.offset)
            text = summarise_prose(read_leading_comment(before))
            if text:
                comment = FunctionComment(role=role, name=name, text=text)
                comments.setdefault(text, comment)

        path = kernel.span.path
        text = summarise_prose(read_file_comment(sources[path].raw[:MAX_CHARACTERS]))
        if text:
            comment = FunctionComment(role=CommentRole.FILE, name=path, text=text)
            comments.setdefault(text, comment)
        return tuple(comments.values())[:_MAX_COMMENTS]

    return tuple(replace(kernel, comments=read_comments(kernel)) for kernel in kernels)


def _iter_functions(kernel: Kernel) -> Iterator[tuple[CommentRole, str, Span]]:
    yield CommentRole.KERNEL, kernel.qualified_name, kernel.span
    for role, comment_role in _HOST_ROLES.items():
        for code in kernel.host:
            if code.role is role:
                yield comment_role, code.name, code.span
