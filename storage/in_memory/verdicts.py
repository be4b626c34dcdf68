"""Builds, runs and case suites in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from crawler.codec import encode
from crawler.model import Build, Run, Suite


class InMemoryVerdicts:
    """The builds, runs and suites of an index, in dictionaries."""

    def __init__(self) -> None:
        # newer builds and runs stand behind older ones
        self._builds: dict[tuple[str, str, str], Build] = {}
        self._runs: dict[tuple[str, str, str, str], list[Run]] = {}
        self._suites: dict[str, Suite] = {}

    def put_builds(self, builds: Iterable[Build]) -> None:
        """Store builds; a newer one of the same (unit, target, toolchain) replaces the older."""
        for build in builds:
            # removed first, so that it goes behind all others
            key = build.unit, build.target, build.toolchain.digest
            self._builds.pop(key, None)
            self._builds[key] = build

    def put_runs(self, runs: Iterable[Run], suites: Iterable[Suite] = ()) -> None:
        """Store runs and the suites that they name; a newer run replaces the older."""
        run_list = list(runs)
        new_suites: dict[str, Suite] = {}
        for suite in suites:
            content_hash = hashlib.sha256(encode(suite))
            new_suites[content_hash.hexdigest()] = suite

        # checked before anything is changed, as a transaction would be rolled back
        named = {run.suite for run in run_list if run.suite}
        missing = named - self._suites.keys() - new_suites.keys()
        if missing:
            raise KeyError(min(missing))

        self._suites |= new_suites

        for run in run_list:
            key = run.unit, run.device, run.details, run.toolchain.digest
            if run.is_further:
                self._runs[key].append(run)
                continue

            # removed first, so that it goes behind all others
            self._runs.pop(key, None)
            self._runs[key] = [run]

    def newest_builds(self, unit: str) -> list[Build]:
        """Return the last build of a unit on each target, by target."""
        newest: dict[str, Build] = {}
        for build in self._builds.values():
            if build.unit == unit:
                newest[build.target] = build

        return [newest[target] for target in sorted(newest)]

    def newest_runs(self, unit: str) -> list[Run]:
        """Return the last run of a unit on each device, by device, each before its further ones."""
        newest: dict[str, list[Run]] = {}
        for runs in self._runs.values():
            if runs[0].unit == unit:
                newest[runs[0].device] = runs

        return [run for device in sorted(newest) for run in newest[device]]

    def suites_of(self, runs: Iterable[Run]) -> tuple[tuple[str, Suite], ...]:
        """Return the suites of runs with their digests, each once."""
        suites: dict[str, Suite] = {}
        for run in runs:
            if run.suite:
                suites[run.suite] = self._suites[run.suite]

        return tuple(suites.items())
