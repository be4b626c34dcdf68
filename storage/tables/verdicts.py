"""Tables of builds, runs and case suites."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    Boolean,
    Float,
    Index,
    Integer,
    String,
    Table,
    UniqueConstraint,
    false,
)

from storage.database.base import BIG_INTEGER, METADATA
from storage.tables.columns import column

BUILD: Final = Table(
    "build",
    METADATA,
    column("id", Integer, primary_key=True),
    column("unit", String),
    column("target", String),
    column("toolchain", String, doc="Digest of the toolchain."),
    column("compiler", String),
    column("status", String),
    column("code", String),
    column("message", String),
    column("form", String),
    column("loaded", Boolean, nullable=True),
    column("object", String, doc="Digest; empty without one."),
    column("seconds", Float),
    column(
        "fidelity",
        String,
        default="",
        server_default="",
        doc="How the code agrees with that of the whole translation unit; empty where nobody"
        " looked.",
    ),
    column("encoded", String, doc="Digest of the build's JSON."),
    UniqueConstraint("unit", "target", "toolchain"),
    Index("ix_build_status", "status", "target"),
    Index("ix_build_fidelity", "fidelity", "target"),
)
"""The object of a unit on one target by one toolchain, and its verdict."""

RUN: Final = Table(
    "run",
    METADATA,
    column("id", Integer, primary_key=True),
    column("unit", String),
    column("device", String, doc="`cpu`, `rocm:gfx942`, `cuda:sm_90`."),
    column("details", String, doc="Model and partition; empty for a CPU."),
    column("toolchain", String, doc="Digest of the toolchain."),
    column("compiler", String),
    column("instantiation", String, doc="Label of the instantiation that was run."),
    column(
        "is_further",
        Boolean,
        default=False,
        server_default=false(),
        doc="Whether another row speaks for the unit on the device.",
    ),
    column(
        "extents",
        String,
        default="",
        server_default="",
        doc="Where the sizes of its memory come from; empty where no launch ran cleanly.",
    ),
    column("behaviour", String),
    column("oracle", String),
    column("suite", String, doc="Digest; empty without cases."),
    column("cases", Integer),
    column("exe_status", String),
    column("exe_code", String),
    column("exe_message", String),
    column(
        "perf_status",
        String,
        doc="Empty where no time was measured, as are the next two.",
    ),
    column("perf_code", String),
    column("perf_message", String),
    column(
        "branches",
        Integer,
        doc="-1 where they were not counted, as are the next three.",
    ),
    column("branches_reached", Integer),
    column("mutants", Integer),
    column("killed", Integer),
    column(
        "strength",
        String,
        default="unmeasured",
        server_default="unmeasured",
        doc="`strong`, `weak` or `unmeasured`.",
    ),
    column("seconds", Float),
    column("encoded", String, doc="Digest of the run's JSON."),
    UniqueConstraint("unit", "device", "details", "toolchain", "instantiation"),
    Index("ix_run_status", "exe_status", "device"),
)
"""A run of a unit on one device, by one toolchain, and its verdicts."""

SUITE: Final = Table(
    "suite",
    METADATA,
    column("digest", String, primary_key=True),
    column("unit", String, index=True),
    column("seed", BIG_INTEGER),
    column("oracle", String),
    column("cases", Integer, doc="Number of cases that are not hidden."),
    column(
        "contents",
        String,
        doc="JSON list of the digests of all inputs and golden outputs.",
    ),
)
"""The cases of a unit; their JSON is the blob of the same digest."""
