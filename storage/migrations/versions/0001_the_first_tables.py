"""The first tables."""

from __future__ import annotations

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
    _blobs()
    _revisions_and_units()
    _kernels()
    _builds()


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.String(), nullable=False)


def _integer(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), nullable=False)


def _large(name: str) -> sa.Column[int]:
    return sa.Column(name, BIG_INTEGER, nullable=False)


def _real(name: str) -> sa.Column[float]:
    return sa.Column(name, sa.Float(), nullable=False)


def _tasks() -> None:
    op.create_table(
        "crawl",
        _text("id"),
        _text("locators"),
        _real("created_at"),
        sa.PrimaryKeyConstraint("id", name="pk_crawl"),
    )
    op.create_table(
        "task",
        _integer("id"),
        _text("stage"),
        _text("key"),
        _text("stage_version"),
        _text("queue"),
        _text("payload"),
        _text("subject"),
        _integer("priority"),
        _text("state"),
        _real("not_before"),
        _text("owner"),
        _real("lease"),
        _real("leased_at"),
        _integer("attempt"),
        _integer("generation"),
        sa.Column("parent", sa.Integer(), nullable=True),
        _integer("pending_children"),
        _integer("kills"),
        _integer("interruptions"),
        _text("code"),
        _text("message"),
        _text("result"),
        _real("created_at"),
        _real("ended_at"),
        sa.ForeignKeyConstraint(["parent"], ["task.id"], name="fk_task_parent_task"),
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
    op.create_table(
        "crawl_task",
        _text("crawl"),
        _integer("task"),
        sa.ForeignKeyConstraint(
            ["crawl"], ["crawl.id"], name="fk_crawl_task_crawl_crawl"
        ),
        sa.ForeignKeyConstraint(["task"], ["task.id"], name="fk_crawl_task_task_task"),
        sa.PrimaryKeyConstraint("crawl", "task", name="pk_crawl_task"),
    )
    op.create_index("ix_crawl_task_task", "crawl_task", ["task"])
    op.create_table(
        "spawn",
        _integer("spawned_by"),
        _integer("task"),
        sa.ForeignKeyConstraint(
            ["spawned_by"], ["task.id"], name="fk_spawn_spawned_by_task"
        ),
        sa.ForeignKeyConstraint(["task"], ["task.id"], name="fk_spawn_task_task"),
        sa.PrimaryKeyConstraint("spawned_by", "task", name="pk_spawn"),
    )
    op.create_index("ix_spawn_task", "spawn", ["task"])
    op.create_table(
        "wait",
        _integer("task"),
        _integer("child"),
        sa.ForeignKeyConstraint(["child"], ["task.id"], name="fk_wait_child_task"),
        sa.ForeignKeyConstraint(["task"], ["task.id"], name="fk_wait_task_task"),
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
        sa.ForeignKeyConstraint(["pack"], ["pack.id"], name="fk_blob_pack_pack"),
        sa.PrimaryKeyConstraint("digest", name="pk_blob"),
    )


def _revisions_and_units() -> None:
    op.create_table(
        "revision",
        _integer("id"),
        _text("repo"),
        _text("source"),
        _text("owner"),
        _text("name"),
        _text("pinned"),
        _text("ref"),
        _text("url"),
        _text("licence"),
        _text("snapshot"),
        _text("database"),
        _text("encoded"),
        sa.PrimaryKeyConstraint("id", name="pk_revision"),
        sa.UniqueConstraint(
            "source",
            "owner",
            "name",
            "pinned",
            name="uq_revision_source_owner_name_pinned",
        ),
    )
    op.create_index("ix_revision_repo_revision_pinned", "revision", ["repo", "pinned"])
    op.create_table(
        "revision_task",
        _integer("task"),
        _integer("revision"),
        sa.ForeignKeyConstraint(
            ["revision"], ["revision.id"], name="fk_revision_task_revision_revision"
        ),
        sa.PrimaryKeyConstraint("task", "revision", name="pk_revision_task"),
    )
    op.create_index("ix_revision_task_revision", "revision_task", ["revision"])
    op.create_table(
        "unit",
        _text("digest"),
        _text("dialect"),
        _text("kernel_name"),
        _text("prelude"),
        _text("token_digest"),
        _text("encoded"),
        sa.PrimaryKeyConstraint("digest", name="pk_unit"),
    )
    op.create_index("ix_unit_token_digest", "unit", ["token_digest"])
    op.create_table(
        "port",
        _text("unit"),
        _text("ported"),
        _text("encoded"),
        sa.ForeignKeyConstraint(
            ["ported"], ["unit.digest"], name="fk_port_ported_unit"
        ),
        sa.ForeignKeyConstraint(["unit"], ["unit.digest"], name="fk_port_unit_unit"),
        sa.PrimaryKeyConstraint("unit", "ported", name="pk_port"),
    )
    op.create_index("ix_port_ported", "port", ["ported"])
    op.create_table(
        "port_blocker",
        _text("unit"),
        _text("ported"),
        _text("code"),
        sa.ForeignKeyConstraint(
            ["ported"], ["unit.digest"], name="fk_port_blocker_ported_unit"
        ),
        sa.ForeignKeyConstraint(
            ["unit"], ["unit.digest"], name="fk_port_blocker_unit_unit"
        ),
        sa.PrimaryKeyConstraint("unit", "ported", "code", name="pk_port_blocker"),
    )


def _kernels() -> None:
    op.create_table(
        "kernel",
        _integer("id"),
        _integer("revision"),
        _text("repo"),
        _text("pinned"),
        _text("path"),
        _integer("line"),
        _integer("end_line"),
        _large("offset"),
        _text("name"),
        _text("qualified_name"),
        _text("dialect"),
        _text("found_by"),
        _text("reason"),
        _text("flags_origin"),
        sa.Column("is_template", sa.Boolean(), nullable=False),
        _integer("launches"),
        _text("licence"),
        _text("licence_class"),
        _text("unit"),
        _text("cluster"),
        _text("unit_problem"),
        _text("encoded"),
        sa.ForeignKeyConstraint(
            ["revision"], ["revision.id"], name="fk_kernel_revision_revision"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_kernel"),
    )
    op.create_index("ix_kernel_cluster", "kernel", ["cluster"])
    op.create_index("ix_kernel_name", "kernel", ["name"])
    op.create_index(
        "ix_kernel_place", "kernel", ["repo", "pinned", "path", "offset", "id"]
    )
    op.create_index("ix_kernel_revision", "kernel", ["revision"])
    op.create_index("ix_kernel_unit", "kernel", ["unit"])
    op.create_table(
        "kernel_tag",
        _integer("kernel"),
        _text("tag"),
        sa.ForeignKeyConstraint(
            ["kernel"],
            ["kernel.id"],
            name="fk_kernel_tag_kernel_kernel",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("kernel", "tag", name="pk_kernel_tag"),
    )
    op.create_index("ix_kernel_tag_tag", "kernel_tag", ["tag"])
    op.create_table(
        "instantiation",
        _integer("kernel"),
        _integer("position"),
        _text("label"),
        _text("arguments"),
        _text("symbol"),
        _text("origin"),
        sa.ForeignKeyConstraint(
            ["kernel"],
            ["kernel.id"],
            name="fk_instantiation_kernel_kernel",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("kernel", "position", name="pk_instantiation"),
    )
    op.create_index("ix_instantiation_label", "instantiation", ["label"])
    op.create_table(
        "launch",
        _integer("kernel"),
        _integer("position"),
        _text("path"),
        _integer("line"),
        _text("grid"),
        _text("block"),
        _text("shared_bytes"),
        _text("stream"),
        _text("enclosing"),
        _text("found_by"),
        sa.ForeignKeyConstraint(
            ["kernel"],
            ["kernel.id"],
            name="fk_launch_kernel_kernel",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("kernel", "position", name="pk_launch"),
    )


def _builds() -> None:
    op.create_table(
        "build",
        _integer("id"),
        _text("unit"),
        _text("target"),
        _text("toolchain"),
        _text("compiler"),
        _text("status"),
        _text("code"),
        _text("message"),
        _text("form"),
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
        _integer("id"),
        _integer("build"),
        _text("device"),
        _text("instantiation"),
        _text("oracle"),
        _text("exe_status"),
        _text("exe_code"),
        _text("exe_message"),
        _text("perf_status"),
        _text("perf_code"),
        _text("perf_message"),
        _text("encoded"),
        sa.ForeignKeyConstraint(["build"], ["build.id"], name="fk_run_build_build"),
        sa.PrimaryKeyConstraint("id", name="pk_run"),
        sa.UniqueConstraint(
            "build", "device", "instantiation", name="uq_run_build_device_instantiation"
        ),
    )
