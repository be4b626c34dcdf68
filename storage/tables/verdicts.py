"""Tables of builds, runs and case suites."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field

from storage.database.base import BIG_INTEGER, Base


class UnitBuild(Base, table=True):
    """The object of a unit on one target by one toolchain, and its verdict."""

    __tablename__ = "build"
    __table_args__ = (
        UniqueConstraint("unit", "target", "toolchain"),
        Index("ix_build_status", "status", "target"),
        Index("ix_build_fidelity", "fidelity", "target"),
    )
    id: int | None = Field(default=None, primary_key=True)
    unit: str
    target: str
    toolchain: str
    """Digest of the toolchain."""
    compiler: str
    status: str
    code: str
    message: str
    form: str
    loaded: bool | None
    object: str
    """Digest; empty without one."""
    seconds: float
    fidelity: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """How the code agrees with that of the whole translation unit; empty where nobody looked."""
    encoded: str
    """Digest of the build's JSON."""


class UnitRun(Base, table=True):
    """A run of a unit on one device, by one toolchain, and its verdicts."""

    __tablename__ = "run"
    __table_args__ = (
        UniqueConstraint("unit", "device", "details", "toolchain", "instantiation"),
        Index("ix_run_status", "exe_status", "device"),
    )
    id: int | None = Field(default=None, primary_key=True)
    unit: str
    device: str
    """`cpu`, `rocm:gfx942`, `cuda:sm_90`."""
    details: str
    """Model and partition; empty for a CPU."""
    toolchain: str
    """Digest of the toolchain."""
    compiler: str
    instantiation: str
    """Label of the instantiation that was run."""
    is_further: bool = Field(
        default=False, sa_column_kwargs={"server_default": sa.false()}
    )
    """Whether another row speaks for the unit on the device."""
    extents: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """Where the sizes of its memory come from; empty where no launch ran cleanly."""
    behaviour: str
    oracle: str
    suite: str
    """Digest; empty without cases."""
    cases: int
    exe_status: str
    exe_code: str
    exe_message: str
    perf_status: str
    """Empty where no time was measured, as are the next two."""
    perf_code: str
    perf_message: str
    branches: int
    """-1 where they were not counted, as are the next three."""
    branches_reached: int
    mutants: int
    killed: int
    strength: str = Field(
        default="unmeasured", sa_column_kwargs={"server_default": "unmeasured"}
    )
    """`strong`, `weak` or `unmeasured`."""
    seconds: float
    encoded: str
    """Digest of the run's JSON."""


class CaseSuite(Base, table=True):
    """The cases of a unit; their JSON is the blob of the same digest."""

    __tablename__ = "suite"
    digest: str = Field(primary_key=True)
    unit: str = Field(index=True)
    seed: int = Field(sa_type=BIG_INTEGER)
    oracle: str
    cases: int
    """Number of cases that are not hidden."""
    contents: str
    """JSON list of the digests of all inputs and golden outputs."""
