"""The first tables."""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa
from alembic import op

from storage.database.base import BIG_INTEGER

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward; there is no way back but a copy of the database."""
    _tasks()
    _task_relations()
    _blobs()
    _revisions()
    _units_and_ports()
    _kernels()
    _kernel_details()
    _builds()


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.String(), nullable=False)


def _texts(*names: str) -> Iterator[sa.Column[str]]:
    return map(_text, names)


def _integer(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), nullable=False)


def _integers(*names: str) -> Iterator[sa.Column[int]]:
    return map(_integer, names)


def _large(name: str) -> sa.Column[int]:
    return sa.Column(name, BIG_INTEGER, nullable=False)


def _real(name: str) -> sa.Column[float]:
    return sa.Column(name, sa.Float(), nullable=False)


def _foreign_key(
    table: str, column: str, target: str, *, ondelete: str | None = None
) -> sa.ForeignKeyConstraint:
    name = f"fk_{table}_{column}_{target.partition('.')[0]}"
    return sa.ForeignKeyConstraint([column], [target], name=name, ondelete=ondelete)


def _tasks() -> None:
    op.create_table(
        "crawl",
        *_texts("id", "locators"),
        _real("created_at"),
        sa.PrimaryKeyConstraint("id", name="pk_crawl"),
    )
    op.create_table(
        "task",
        _integer("id"),
        *_texts("stage", "key", "stage_version", "queue", "payload", "subject"),
        _integer("priority"),
        _text("state"),
        _real("not_before"),
        _text("owner"),
        _real("lease"),
        _real("leased_at"),
        *_integers("attempt", "generation"),
        sa.Column("parent", sa.Integer(), nullable=True),
        *_integers("pending_children", "kills", "interruptions"),
        *_texts("code", "message", "result"),
        _real("created_at"),
        _real("ended_at"),
        _foreign_key("task", "parent", "task.id"),
        sa.PrimaryKeyConstraint("id", name="pk_task"),
        sa.UniqueConstraint(
            "stage", "key", "stage_version", name="uq_task_stage_key_stage_version"
        ),
    )
    op.create_index(
        "ix_task_ready",
        "task",
        ["stage", sa.text("priority DESC"), "id"],
        sqlite_where=sa.text("state = 'ready'"),
        postgresql_where=sa.text("state = 'ready'"),
    )
    op.create_index("ix_task_state", "task", ["state"])


def _task_relations() -> None:
    op.create_table(
        "crawl_task",
        _text("crawl"),
        _integer("task"),
        _foreign_key("crawl_task", "crawl", "crawl.id"),
        _foreign_key("crawl_task", "task", "task.id"),
        sa.PrimaryKeyConstraint("crawl", "task", name="pk_crawl_task"),
    )
    op.create_index("ix_crawl_task_task", "crawl_task", ["task"])
    op.create_table(
        "spawn",
        *_integers("spawned_by", "task"),
        _foreign_key("spawn", "spawned_by", "task.id"),
        _foreign_key("spawn", "task", "task.id"),
        sa.PrimaryKeyConstraint("spawned_by", "task", name="pk_spawn"),
    )
    op.create_index("ix_spawn_task", "spawn", ["task"])
    op.create_table(
        "wait",
        *_integers("task", "child"),
        _foreign_key("wait", "child", "task.id"),
        _foreign_key("wait", "task", "task.id"),
        sa.PrimaryKeyConstraint("task", "child", name="pk_wait"),
    )
    op.create_index("ix_wait_child", "wait", ["child"])


def _blobs() -> None:
    op.create_table(
        "pack",
        _integer("id"),
        _text("name"),
        sa.PrimaryKeyConstraint("id", name="pk_pack"),
        sa.UniqueConstraint("name", name="uq_pack_name"),
    )
    op.create_table(
        "blob",
        _text("digest"),
        _large("size"),
        sa.Column("pack", sa.Integer(), nullable=True),
        _large("offset"),
        _large("length"),
        _foreign_key("blob", "pack", "pack.id"),
        sa.PrimaryKeyConstraint("digest", name="pk_blob"),
    )


def _revisions() -> None:
    op.create_table(
        "revision",
        _integer("id"),
        *_texts("repo", "source", "owner", "name", "pinned", "ref"),
        *_texts("url", "licence", "snapshot", "database", "encoded"),
        sa.PrimaryKeyConstraint("id", name="pk_revision"),
        sa.UniqueConstraint(
            *("source", "owner", "name", "pinned"),
            name="uq_revision_source_owner_name_pinned",
        ),
    )
    op.create_index("ix_revision_repo_revision_pinned", "revision", ["repo", "pinned"])
    op.create_table(
        "revision_task",
        *_integers("task", "revision"),
        _foreign_key("revision_task", "revision", "revision.id"),
        sa.PrimaryKeyConstraint("task", "revision", name="pk_revision_task"),
    )
    op.create_index("ix_revision_task_revision", "revision_task", ["revision"])


def _units_and_ports() -> None:
    op.create_table(
        "unit",
        *_texts(
            "digest", "dialect", "kernel_name", "prelude", "token_digest", "encoded"
        ),
        sa.PrimaryKeyConstraint("digest", name="pk_unit"),
    )
    op.create_index("ix_unit_token_digest", "unit", ["token_digest"])
    op.create_table(
        "port",
        *_texts("unit", "ported", "encoded"),
        _foreign_key("port", "ported", "unit.digest"),
        _foreign_key("port", "unit", "unit.digest"),
        sa.PrimaryKeyConstraint("unit", "ported", name="pk_port"),
    )
    op.create_index("ix_port_ported", "port", ["ported"])
    op.create_table(
        "port_blocker",
        *_texts("unit", "ported", "code"),
        _foreign_key("port_blocker", "ported", "unit.digest"),
        _foreign_key("port_blocker", "unit", "unit.digest"),
        sa.PrimaryKeyConstraint("unit", "ported", "code", name="pk_port_blocker"),
    )


def _kernels() -> None:
    op.create_table(
        "kernel",
        *_integers("id", "revision"),
        *_texts("repo", "pinned", "path"),
        *_integers("line", "end_line"),
        _large("offset"),
        *_texts(
            "name", "qualified_name", "dialect", "found_by", "reason", "flags_origin"
        ),
        sa.Column("is_template", sa.Boolean(), nullable=False),
        _integer("launches"),
        *_texts(
            "licence", "licence_class", "unit", "cluster", "unit_problem", "encoded"
        ),
        _foreign_key("kernel", "revision", "revision.id"),
        sa.PrimaryKeyConstraint("id", name="pk_kernel"),
    )
    op.create_index("ix_kernel_cluster", "kernel", ["cluster"])
    op.create_index("ix_kernel_name", "kernel", ["name"])
    op.create_index(
        "ix_kernel_place", "kernel", ["repo", "pinned", "path", "offset", "id"]
    )
    op.create_index("ix_kernel_revision", "kernel", ["revision"])
    op.create_index("ix_kernel_unit", "kernel", ["unit"])


def _kernel_details() -> None:
    op.create_table(
        "kernel_tag",
        _integer("kernel"),
        _text("tag"),
        _foreign_key("kernel_tag", "kernel", "kernel.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("kernel", "tag", name="pk_kernel_tag"),
    )
    op.create_index("ix_kernel_tag_tag", "kernel_tag", ["tag"])
    op.create_table(
        "instantiation",
        *_integers("kernel", "position"),
        *_texts("label", "arguments", "symbol", "origin"),
        _foreign_key("instantiation", "kernel", "kernel.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("kernel", "position", name="pk_instantiation"),
    )
    op.create_index("ix_instantiation_label", "instantiation", ["label"])
    op.create_table(
        "launch",
        *_integers("kernel", "position"),
        _text("path"),
        _integer("line"),
        *_texts("grid", "block", "shared_bytes", "stream", "enclosing", "found_by"),
        _foreign_key("launch", "kernel", "kernel.id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("kernel", "position", name="pk_launch"),
    )


def _builds() -> None:
    op.create_table(
        "build",
        _integer("id"),
        *_texts("unit", "target", "toolchain", "compiler"),
        *_texts("status", "code", "message", "form"),
        sa.Column("loaded", sa.Boolean(), nullable=True),
        _text("object"),
        _real("seconds"),
        _text("encoded"),
        sa.PrimaryKeyConstraint("id", name="pk_build"),
        sa.UniqueConstraint(
            "unit", "target", "toolchain", name="uq_build_unit_target_toolchain"
        ),
    )
    op.create_table(
        "run",
        *_integers("id", "build"),
        *_texts("device", "instantiation", "oracle", "exe_status", "exe_code"),
        *_texts("exe_message", "perf_status", "perf_code", "perf_message", "encoded"),
        _foreign_key("run", "build", "build.id"),
        sa.PrimaryKeyConstraint("id", name="pk_run"),
        sa.UniqueConstraint(
            "build", "device", "instantiation", name="uq_run_build_device_instantiation"
        ),
    )
