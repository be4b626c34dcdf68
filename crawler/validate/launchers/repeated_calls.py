"""The calls of a launcher, made again and again in every way that may tell something."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from crawler.validate.launchers.call_search import FoundCall
from crawler.validate.launchers.compared_numbers import ComparedNumbers
from crawler.validate.launchers.strained_contents import Strain
from crawler.validate.programs.host_build.program_build import HostProgram
from crawler.validate.programs.runs.program_runs import (
    FORWARD,
    POISON,
    ProgramRun,
    run_host_program,
)

_SEARCH: Final = "search"
_SEARCH_SECONDS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedCalls:
    """A program that calls a launcher, and where it is run."""

    root: Path
    directory: str
    program: HostProgram
    compared: ComparedNumbers
    """What the kernel that is asked for compares with."""

    def search(self) -> ProgramRun:
        """Return the run that looks for calls in which nothing goes wrong."""
        return self._run(_SEARCH, _SEARCH_SECONDS)

    def repeat(
        self,
        found_call: FoundCall,
        *,
        order: int = FORWARD,
        fill: int = POISON,
        records: bool = False,
        strain: Strain = Strain.NONE,
    ) -> ProgramRun:
        """Return a run that makes the calls that were found."""
        return self._run(
            found_call.call,
            _SEARCH_SECONDS,
            order=order,
            fill=fill,
            records=records,
            strain=strain,
        )

    def _run(
        self,
        call: str,
        seconds: int,
        *,
        order: int = FORWARD,
        fill: int = POISON,
        records: bool = False,
        strain: Strain = Strain.NONE,
    ) -> ProgramRun:
        return run_host_program(
            self.program,
            root=self.root,
            directory=self.directory,
            order=order,
            fill=fill,
            seconds=seconds,
            call=call,
            records=records,
            contents=strain,
        )
