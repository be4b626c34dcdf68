"""Ask each applicable build system for compile commands."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from crawler import sandbox
from crawler.builds.commands import arch_flags
from crawler.builds.interface import (
    BuildSystem,
    FoundCommands,
    is_by_request,
    make_not_recognised_error,
)
from crawler.builds.systems.synthesised import PLUGIN as FLOOR
from crawler.builds.systems.synthesised import synthesise_unit_commands
from crawler.checkout.include_graph import IncludeGraph
from crawler.checkout.source_tree import SourceTree
from crawler.errors import BadDatabase, CrawlError, MissingTool, NotFound, ToolFailed
from crawler.model import CompileCommand, FlagsOrigin, GeneratedFile, StrategyReport
from crawler.plugins import load_plugins
from crawler.sandbox.process_folders import make_prefix

_MAX_LOG_CHARS: Final = 64 << 10


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyOutcome:
    """The commands that one build system gave, or its error."""

    report: StrategyReport
    commands: tuple[CompileCommand, ...] = ()
    generated: tuple[GeneratedFile, ...] = ()
    error: CrawlError | None = None


def run_build_systems(
    tree: SourceTree, strategies: Sequence[str] = ()
) -> tuple[StrategyOutcome, ...]:
    """Ask those build systems that recognise the tree for their commands.

    With `strategies` only those of these names, and the one that synthesises commands. Raises
    `NotFound` (`no-strategy`) for a name that none has.
    """
    plugins: tuple[BuildSystem, ...] = load_plugins("crawler.builds.systems")
    _require_known(strategies, plugins)

    outcomes = []
    for plugin in plugins:
        # the floor is asked in any case, so that no file is without a command
        is_named = plugin.name in strategies
        is_default = not strategies and not is_by_request(plugin)
        is_asked = is_named or is_default or plugin is FLOOR

        if is_asked and plugin.recognises(tree):
            outcomes.append(_run_build_system(plugin, tree))
        elif is_named:
            error = make_not_recognised_error(plugin, tree)
            outcomes.append(_make_failed_outcome(plugin, error))

    return tuple(outcomes)


def add_synthesised_units(
    outcomes: Sequence[StrategyOutcome], paths: Sequence[str], graph: IncludeGraph
) -> tuple[StrategyOutcome, ...]:
    """Return the outcomes with commands made up for sources that came after the floor was asked."""
    added = tuple(
        _attribute_command(command, FLOOR)
        for command in synthesise_unit_commands(paths, graph)
    )
    if not added:
        return tuple(outcomes)

    built_outcomes = [item for item in outcomes if item.report.strategy != FLOOR.name]
    floor = [item for item in outcomes if item.report.strategy == FLOOR.name]
    commands = (*(command for item in floor for command in item.commands), *added)
    report = StrategyReport(
        strategy=FLOOR.name,
        entries=len(commands),
        log="".join(item.report.log for item in floor),
    )
    return (*built_outcomes, StrategyOutcome(report=report, commands=commands))


def is_synthesised_only(outcomes: Sequence[StrategyOutcome]) -> bool:
    """Tell whether no build system gave commands, but for synthesised ones."""
    build_outcomes = [
        outcome for outcome in outcomes if outcome.report.strategy != FLOOR.name
    ]
    return not any(outcome.commands for outcome in build_outcomes)


def find_strategy_error(
    outcomes: Sequence[StrategyOutcome], strategies: Sequence[str]
) -> CrawlError | None:
    """Return the error of the build systems that were named when none of them gave commands."""
    named_outcomes = [
        outcome for outcome in outcomes if outcome.report.strategy in strategies
    ]
    if not named_outcomes or any(outcome.commands for outcome in named_outcomes):
        return None

    return named_outcomes[0].error


def _require_known(strategies: Sequence[str], plugins: Sequence[BuildSystem]) -> None:
    known_names = [plugin.name for plugin in plugins]
    unknown_names = sorted(set(strategies) - set(known_names))

    if unknown_names:
        raise NotFound(
            f"there is no strategy {', '.join(unknown_names)}: "
            f"name one of {', '.join(known_names)}",
            code="no-strategy",
        )


def _run_build_system(plugin: BuildSystem, tree: SourceTree) -> StrategyOutcome:
    reason = sandbox.explain_missing_builds() if plugin.executes else ""
    if reason:
        message = f"it was not run, since {reason}; see `kernelset doctor`"
        return _make_failed_outcome(plugin, MissingTool(message, code="no-sandbox"))

    try:
        with tempfile.TemporaryDirectory(prefix=make_prefix("build")) as scratch:
            result = plugin.find_commands(tree, Path(scratch))
    except CrawlError as error:
        output = error.output if isinstance(error, ToolFailed) else ""
        return _make_failed_outcome(plugin, error, output)

    # generated files count even where the build gave no command
    generated = tuple(replace(file, strategy=plugin.name) for file in result.generated)
    if not result.commands:
        return replace(_make_empty_outcome(plugin, result), generated=generated)

    commands = tuple(_attribute_command(command, plugin) for command in result.commands)
    report = StrategyReport(
        strategy=plugin.name,
        entries=len(commands),
        log=result.log[-_MAX_LOG_CHARS:],
    )

    return StrategyOutcome(report=report, commands=commands, generated=generated)


def _attribute_command(command: CompileCommand, plugin: BuildSystem) -> CompileCommand:
    offload_archs = command.offload_archs
    # a build that we configured ourselves had archs to choose
    if plugin.executes and command.origin is FlagsOrigin.EXPORTED:
        offload_archs = arch_flags.drop_assumed_archs(offload_archs)

    return replace(command, strategy=plugin.name, offload_archs=offload_archs)


def _make_empty_outcome(plugin: BuildSystem, result: FoundCommands) -> StrategyOutcome:
    message = (
        "it gave no compile command: was it built from a cache? "
        "Start clean, and see its log"
    )
    error = BadDatabase(message, code="empty-database")

    return _make_failed_outcome(plugin, error, result.log)


def _make_failed_outcome(
    plugin: BuildSystem, error: CrawlError, log: str = ""
) -> StrategyOutcome:
    report = StrategyReport(
        strategy=plugin.name,
        entries=0,
        code=error.code,
        message=str(error),
        log=log[-_MAX_LOG_CHARS:],
    )

    return StrategyOutcome(report=report, error=error)
