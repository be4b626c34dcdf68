"""Ask each applicable build system for compile commands."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from crawler import sandbox
from crawler.builds.checkout.source_tree import SourceTree
from crawler.builds.commands import arch_flags
from crawler.builds.interface import (
    BuildSystem,
    is_by_request,
    make_not_recognised_error,
)
from crawler.builds.systems.synthesised import PLUGIN as FLOOR
from crawler.errors import BadDatabase, CrawlError, MissingTool, NotFound, ToolFailed
from crawler.model import CompileCommand, FlagsOrigin, GeneratedFile, StrategyReport
from crawler.plugins import load_plugins

_LOG_KEPT: Final = 64 << 10


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyOutcome:
    """The commands that one build system told, or the error that it gave instead."""

    report: StrategyReport
    commands: tuple[CompileCommand, ...] = ()
    generated: tuple[GeneratedFile, ...] = ()
    error: CrawlError | None = None


def run_build_systems(
    tree: SourceTree, strategies: Sequence[str] = ()
) -> tuple[StrategyOutcome, ...]:
    """Ask those build systems that recognise the tree, the floor always; by name also those
    that only come so.

    Raises `NotFound` (`no-strategy`) for a name that none has.
    """
    known: tuple[BuildSystem, ...] = load_plugins("crawler.builds.systems")
    unknown = sorted(set(strategies) - {plugin.name for plugin in known})
    if unknown:
        names = ", ".join(plugin.name for plugin in known)
        raise NotFound(
            f"there is no strategy {', '.join(unknown)}: name one of {names}",
            code="no-strategy",
        )
    answers = []
    for plugin in known:
        named = plugin.name in strategies
        wanted = (
            named or (not strategies and not is_by_request(plugin)) or plugin is FLOOR
        )
        if wanted and plugin.recognises(tree):
            answers.append(_answer(plugin, tree))
        elif named:
            answers.append(_refused(plugin, make_not_recognised_error(plugin, tree)))
    return tuple(answers)


def is_synthesised_only(outcomes: Sequence[StrategyOutcome]) -> bool:
    """Tell whether nothing but made-up commands was given."""
    return not any(
        answer.commands for answer in outcomes if answer.report.strategy != FLOOR.name
    )


def find_strategy_error(
    outcomes: Sequence[StrategyOutcome], strategies: Sequence[str]
) -> CrawlError | None:
    """Return the error of what was asked by name when nothing came of it."""
    asked = [answer for answer in outcomes if answer.report.strategy in strategies]
    if not asked or any(answer.commands for answer in asked):
        return None
    return asked[0].error


def _answer(plugin: BuildSystem, tree: SourceTree) -> StrategyOutcome:
    if plugin.executes and not sandbox.run_self_test().works:
        message = f"it was not run, since {sandbox.run_self_test().reason}; see `kernelset doctor`"
        return _refused(plugin, MissingTool(message, code="no-sandbox"))
    try:
        with tempfile.TemporaryDirectory(prefix="kernelset-build-") as scratch:
            told = plugin.find_commands(tree, Path(scratch))
    except CrawlError as error:
        return _refused(
            plugin, error, error.output if isinstance(error, ToolFailed) else ""
        )
    generated = tuple(replace(file, strategy=plugin.name) for file in told.generated)
    if not told.commands:
        message = "it gave no compile command: was it built from a cache? Start clean, and see its log"
        return replace(
            _refused(plugin, BadDatabase(message, code="empty-database"), told.log),
            generated=generated,
        )
    commands = tuple(_signed(command, plugin) for command in told.commands)
    report = StrategyReport(
        strategy=plugin.name, entries=len(commands), log=told.log[-_LOG_KEPT:]
    )
    return StrategyOutcome(report=report, commands=commands, generated=generated)


def _signed(command: CompileCommand, plugin: BuildSystem) -> CompileCommand:
    configured = plugin.executes and command.origin is FlagsOrigin.EXPORTED
    named = (
        arch_flags.drop_assumed_archs(command.offload_archs)
        if configured
        else command.offload_archs
    )
    return replace(command, strategy=plugin.name, offload_archs=named)


def _refused(plugin: BuildSystem, error: CrawlError, log: str = "") -> StrategyOutcome:
    report = StrategyReport(
        strategy=plugin.name,
        entries=0,
        code=error.code,
        message=str(error),
        log=log[-_LOG_KEPT:],
    )
    return StrategyOutcome(report=report, error=error)
