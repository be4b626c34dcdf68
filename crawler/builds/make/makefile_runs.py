"""Which Makefiles to call, and in what order, until every device unit has a command."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Final

from crawler.builds.make.make_call import MakeCall
from crawler.builds.make.make_session import (
    MAX_CALLS,
    MakeSession,
    MakeWorkspace,
    dry_run_make,
    run_make,
)
from crawler.builds.make.makefiles import Makefiles
from crawler.builds.stub_toolchain import stub_compilers
from crawler.builds.stub_toolchain.stub_programs import Phase

_MAX_RECORDED_CALLS: Final = 200


def learn_by_dry_run(
    makefiles: Makefiles, workspace: MakeWorkspace, session: MakeSession
) -> None:
    """Add the commands that dry runs of make print.

    First the outermost Makefiles are called, then the nearest ones of files without a command,
    first for the default goal and then for all goals.
    """
    toolchain = stub_compilers.write_stub_toolchain(
        workspace.scratch / "asking", Phase.BUILD
    )
    # Two folders may lead to one Makefile, and a second pass to the first one's calls.
    made_calls: set[MakeCall] = set()

    for all_goals in (False, True):
        for is_nearest in (False, True):
            uncovered_units = makefiles.device_units - session.covered_files
            if not uncovered_units:
                return

            # All goals of an outermost Makefile would often build a whole distribution.
            folders = _choose_folders(
                makefiles, uncovered_units, is_outermost=not (is_nearest or all_goals)
            )
            calls = _list_new_calls(makefiles, folders, made_calls, all_goals=all_goals)
            if calls:
                dry_run_make(calls[:MAX_CALLS], toolchain, workspace, session)


def _choose_folders(
    makefiles: Makefiles, uncovered_units: AbstractSet[str], *, is_outermost: bool
) -> tuple[str, ...]:
    if is_outermost:
        return makefiles.find_outermost_folders()

    return makefiles.find_nearest_folders(uncovered_units)


def learn_by_recording(
    makefiles: Makefiles, workspace: MakeWorkspace, session: MakeSession
) -> None:
    """Add the commands that stub compilers record where make runs in earnest.

    Only Makefiles of files without a command run. The source of `workspace` is writable.
    """
    made_calls: set[MakeCall] = set()
    for all_goals in (False, True):
        # Asked anew in the second pass: the first one may have covered some files.
        folders = makefiles.select_folders_to_run(session.covered_files)
        calls = _list_new_calls(makefiles, folders, made_calls, all_goals=all_goals)
        if not calls:
            continue

        toolchain = stub_compilers.write_stub_toolchain(
            workspace.scratch / f"running-{all_goals}", Phase.BUILD
        )
        run_make(calls[:_MAX_RECORDED_CALLS], toolchain, workspace, session)


def _list_new_calls(
    makefiles: Makefiles,
    folders: Iterable[str],
    made_calls: set[MakeCall],
    *,
    all_goals: bool,
) -> list[MakeCall]:
    """Return the calls for some folders that were not made yet, and count them as made."""
    new_calls: dict[MakeCall, None] = {}
    for folder in folders:
        for call in makefiles.iter_calls(folder, all_goals=all_goals):
            if call not in made_calls:
                new_calls[call] = None

    made_calls.update(new_calls)

    return list(new_calls)
