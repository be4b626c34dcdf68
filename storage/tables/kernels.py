"""Tables of commits, kernels, kernel units and ports."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    Boolean,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    UniqueConstraint,
    false,
)

from storage.database.base import BIG_INTEGER, METADATA
from storage.tables.columns import column

REVISION: Final = Table(
    "revision",
    METADATA,
    column("id", Integer, primary_key=True),
    column("repo", String, doc="Label: `name`, or `owner/name`."),
    column("source", String),
    column("owner", String),
    column("name", String),
    column("pinned", String, doc="The commit: `commit` is a reserved word in SQL."),
    column("ref", String),
    column("url", String),
    column("licence", String),
    column("snapshot", String),
    column("database", String),
    column("encoded", String, doc="JSON of the whole `Repo`."),
    UniqueConstraint("source", "owner", "name", "pinned"),
    Index(None, "repo", "pinned"),
)
"""A commit of a repository, and where its sources and compile database are stored."""

REVISION_TASK: Final = Table(
    "revision_task",
    METADATA,
    column("task", Integer, primary_key=True),
    column(
        "revision", Integer, ForeignKey("revision.id"), primary_key=True, index=True
    ),
)
"""Tasks that found a commit; they say which crawls it belongs to."""

UNIT: Final = Table(
    "unit",
    METADATA,
    column("digest", String, primary_key=True),
    column("dialect", String),
    column("kernel_name", String),
    column("prelude", String),
    column("token_digest", String, index=True),
    column("encoded", String, doc="Digest of the unit's JSON without its text."),
)
"""A kernel unit; its text is the blob of the same digest."""

DEFINITION: Final = Table(
    "definition",
    METADATA,
    column(
        "digest",
        String,
        primary_key=True,
        doc="sha256 over the kernel's name and its significant tokens.",
    ),
    column("name", String),
    column("minhash", LargeBinary),
    column(
        "version",
        String,
        doc="Of the signature: those of different versions do not compare.",
    ),
    column(
        "near_cluster",
        String,
        index=True,
        doc="The least digest among its near copies; its own before copies are grouped.",
    ),
    column("is_grouped", Boolean),
)
"""A text of kernels, by which copies of a kernel are recognised."""

PORT: Final = Table(
    "port",
    METADATA,
    column("unit", String, ForeignKey("unit.digest"), primary_key=True),
    column("ported", String, ForeignKey("unit.digest"), primary_key=True, index=True),
    column(
        "wave",
        String,
        server_default="",
        doc="Wave widths on which the port behaves the same; empty where that is unknown.",
    ),
    column(
        "encoded",
        String,
        doc="Digest of the ported unit's JSON without its text; it holds the report of this port.",
    ),
)
"""A unit and one that was ported from it."""

PORT_BLOCKER: Final = Table(
    "port_blocker",
    METADATA,
    column("unit", String, ForeignKey("unit.digest"), primary_key=True),
    column("ported", String, ForeignKey("unit.digest"), primary_key=True),
    column("code", String, primary_key=True),
)
"""A reason why a port does not work yet."""

KERNEL: Final = Table(
    "kernel",
    METADATA,
    column("id", Integer, primary_key=True),
    column("revision", Integer, ForeignKey("revision.id"), index=True),
    column(
        "repo",
        String,
        doc="Copied from the revision, with `pinned`, so that paging needs one index.",
    ),
    column("pinned", String),
    column("path", String),
    column("line", Integer),
    column("end_line", Integer),
    column("offset", BIG_INTEGER),
    column("name", String),
    column("qualified_name", String),
    column("dialect", String),
    column("found_by", String),
    column("reason", String),
    column("flags_origin", String),
    column("is_template", Boolean),
    column("launches", Integer),
    column(
        "superseded",
        Boolean,
        default=False,
        server_default=false(),
        doc="Whether its repository has a newer commit for the same ref, or is gone.",
    ),
    column("licence", String, index=True),
    column("licence_class", String, index=True),
    column("unit", String, index=True, doc="Digest of its unit; empty without one."),
    column("cluster", String, index=True),
    column(
        "definition",
        String,
        index=True,
        default="",
        server_default="",
        doc="Digest of its name and its own text; `-` without a text, empty where nobody has"
        " looked.",
    ),
    column(
        "unit_problem",
        String,
        doc="Why it has no unit: the slug alone, without the detail.",
    ),
    column("encoded", String, doc="Digest of the kernel's JSON without its unit."),
    Index("ix_kernel_place", "repo", "pinned", "path", "offset", "id"),
    Index("ix_kernel_name", "name"),
)
"""A kernel definition at one place of one commit."""

KERNEL_TAG: Final = Table(
    "kernel_tag",
    METADATA,
    column(
        "kernel", Integer, ForeignKey("kernel.id", ondelete="CASCADE"), primary_key=True
    ),
    column("tag", String, primary_key=True, index=True),
)
"""A tag of a kernel."""

KERNEL_OPERATOR: Final = Table(
    "kernel_operator",
    METADATA,
    column(
        "kernel", Integer, ForeignKey("kernel.id", ondelete="CASCADE"), primary_key=True
    ),
    column("name", String, primary_key=True, index=True),
)
"""An operator that reaches a kernel, under the name that Python code calls."""

INSTANTIATION: Final = Table(
    "instantiation",
    METADATA,
    column(
        "kernel", Integer, ForeignKey("kernel.id", ondelete="CASCADE"), primary_key=True
    ),
    column("position", Integer, primary_key=True),
    column("label", String, index=True),
    column("arguments", String, doc="JSON list."),
    column("symbol", String),
    column("origin", String),
)
"""A set of template arguments that the project uses a kernel with."""

LAUNCH: Final = Table(
    "launch",
    METADATA,
    column(
        "kernel", Integer, ForeignKey("kernel.id", ondelete="CASCADE"), primary_key=True
    ),
    column("position", Integer, primary_key=True),
    column("path", String),
    column("line", Integer),
    column("grid", String),
    column("block", String),
    column("shared_bytes", String),
    column("stream", String),
    column("enclosing", String),
    column("found_by", String),
)
"""A launch site of a kernel."""

KERNEL_TEXT: Final = Table(
    "kernel_text",
    METADATA,
    column(
        "kernel", Integer, ForeignKey("kernel.id", ondelete="CASCADE"), primary_key=True
    ),
    column("words", String, doc="In lower case, with a space between."),
)
"""The words of a kernel's names and source, in front of the full-text index."""
