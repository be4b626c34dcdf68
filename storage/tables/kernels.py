"""Tables of commits, kernels, kernel units and ports."""

from __future__ import annotations

from sqlalchemy import Index, UniqueConstraint, false
from sqlmodel import Field

from storage.database.base import BIG_INTEGER, Base
from storage.tables.columns import foreign_id


class Revision(Base, table=True):
    """A commit of a repository, and where its sources and compile database are stored."""

    __table_args__ = (
        UniqueConstraint("source", "owner", "name", "pinned"),
        Index(None, "repo", "pinned"),
    )
    id: int | None = Field(default=None, primary_key=True)
    repo: str
    """Label: `name`, or `owner/name`."""
    source: str
    owner: str
    name: str
    pinned: str
    """The commit: `commit` is a reserved word in SQL."""
    ref: str
    url: str
    licence: str
    snapshot: str
    database: str
    encoded: str
    """JSON of the whole `Repo`."""


class RevisionTask(Base, table=True):
    """Tasks that found a commit; they say which crawls it belongs to."""

    __tablename__ = "revision_task"
    task: int = Field(primary_key=True)
    revision: int = foreign_id("revision", primary_key=True, index=True)


class Unit(Base, table=True):
    """A kernel unit; its text is the blob of the same digest."""

    digest: str = Field(primary_key=True)
    dialect: str
    kernel_name: str
    prelude: str
    token_digest: str = Field(index=True)
    encoded: str
    """Digest of the unit's JSON without its text."""


class Definition(Base, table=True):
    """A text of kernels, by which copies of a kernel are recognised."""

    digest: str = Field(primary_key=True)
    """sha256 over the kernel's name and its significant tokens."""
    name: str
    minhash: bytes
    version: str
    """Of the signature: those of different versions do not compare."""
    near_cluster: str = Field(index=True)
    """The least digest among its near copies; its own before copies are grouped."""
    is_grouped: bool


class Port(Base, table=True):
    """A unit and one that was ported from it."""

    unit: str = Field(foreign_key="unit.digest", primary_key=True)
    ported: str = Field(foreign_key="unit.digest", primary_key=True, index=True)
    wave: str = Field(sa_column_kwargs={"server_default": ""})
    """Wave widths on which the port behaves the same; empty where that is unknown."""
    encoded: str
    """Digest of the ported unit's JSON without its text; it holds the report of this port."""


class PortBlocker(Base, table=True):
    """A reason why a port does not work yet."""

    __tablename__ = "port_blocker"
    unit: str = Field(foreign_key="unit.digest", primary_key=True)
    ported: str = Field(foreign_key="unit.digest", primary_key=True)
    code: str = Field(primary_key=True)


class KernelDefinition(Base, table=True):
    """A kernel definition at one place of one commit."""

    __tablename__ = "kernel"
    __table_args__ = (
        Index("ix_kernel_place", "repo", "pinned", "path", "offset", "id"),
        Index("ix_kernel_name", "name"),
    )
    id: int | None = Field(default=None, primary_key=True)
    revision: int = foreign_id("revision", index=True)
    repo: str
    """Copied from the revision, with `pinned`, so that paging needs one index."""
    pinned: str
    path: str
    line: int
    end_line: int
    offset: int = Field(sa_type=BIG_INTEGER)
    name: str
    qualified_name: str
    dialect: str
    found_by: str
    reason: str
    flags_origin: str
    is_template: bool
    launches: int
    superseded: bool = Field(
        default=False, sa_column_kwargs={"server_default": false()}
    )
    """Whether its repository has a newer commit for the same ref, or is gone."""
    licence: str = Field(index=True)
    licence_class: str = Field(index=True)
    unit: str = Field(index=True)
    """Digest of its unit; empty without one."""
    cluster: str = Field(index=True)
    definition: str = Field(
        default="", index=True, sa_column_kwargs={"server_default": ""}
    )
    """Digest of its name and its own text; `-` without a text, empty where nobody has looked."""
    unit_problem: str
    """Why it has no unit: the slug alone, without the detail."""
    encoded: str
    """Digest of the kernel's JSON without its unit."""


class KernelTag(Base, table=True):
    """A tag of a kernel."""

    __tablename__ = "kernel_tag"
    kernel: int = foreign_id("kernel", primary_key=True, ondelete="CASCADE")
    tag: str = Field(primary_key=True, index=True)


class KernelOperator(Base, table=True):
    """An operator that reaches a kernel, under the name that Python code calls."""

    __tablename__ = "kernel_operator"
    kernel: int = foreign_id("kernel", primary_key=True, ondelete="CASCADE")
    name: str = Field(primary_key=True, index=True)


class KernelInstantiation(Base, table=True):
    """A set of template arguments that the project uses a kernel with."""

    __tablename__ = "instantiation"
    kernel: int = foreign_id("kernel", primary_key=True, ondelete="CASCADE")
    position: int = Field(primary_key=True)
    label: str = Field(index=True)
    arguments: str
    """JSON list."""
    symbol: str
    origin: str


class KernelLaunch(Base, table=True):
    """A launch site of a kernel."""

    __tablename__ = "launch"
    kernel: int = foreign_id("kernel", primary_key=True, ondelete="CASCADE")
    position: int = Field(primary_key=True)
    path: str
    line: int
    grid: str
    block: str
    shared_bytes: str
    stream: str
    enclosing: str
    found_by: str


class KernelText(Base, table=True):
    """The words of a kernel's names and source, in front of the full-text index."""

    __tablename__ = "kernel_text"
    kernel: int = foreign_id("kernel", primary_key=True, ondelete="CASCADE")
    words: str
    """In lower case, with a space between."""
