"""Which faults of calls are the kernel's, by what the launcher was given."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from crawler.validate.launchers.call_search import read_accepted_calls
from crawler.validate.programs.runs.launch_faults import LaunchFault
from crawler.validate.programs.runs.launch_log import InstanceKey
from crawler.validate.programs.runs.program_runs import ProgramRun

# what our own program prints of a call: the types of its arguments
_INTEGERS: Final = re.compile(r"\bu?int\d+[\[*]")
_FLAGS: Final = re.compile(r"\b(?:true|false)\b")


def takes_whole_numbers(call: str) -> bool:
    """Tell whether tensors or pointers of whole numbers are among what a call is given."""
    return _INTEGERS.search(call) is not None


def takes_flags(call: str) -> bool:
    """Tell whether a call is given something that is true or false."""
    return _FLAGS.search(call) is not None


def list_plain_calls(run: ProgramRun) -> frozenset[int]:
    """Return the accepted calls that are given no whole numbers in memory."""
    return frozenset(
        test for test, call in read_accepted_calls(run) if not takes_whole_numbers(call)
    )


def iter_telling_faults(
    faults: Mapping[InstanceKey, LaunchFault],
    called: Mapping[int, str],
) -> Iterator[tuple[InstanceKey, LaunchFault]]:
    """Yield the faults that are the kernel's and not the call's, with the call in each message."""
    for instance, fault in faults.items():
        call = called.get(fault.test)
        # what a launcher refuses in the end was no call of it
        if call is None:
            continue
        # indices that were made up may meet where its callers' do not
        has_indices = not fault.is_shared and takes_whole_numbers(call)
        if fault.code == "race" and has_indices:
            continue

        yield instance, replace(fault, message=f"{call}: {fault.message}")
