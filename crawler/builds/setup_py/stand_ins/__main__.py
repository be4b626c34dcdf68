"""Run a `setup.py` or modules of a project, and record the extensions that they declare, also
on failure.
"""

from __future__ import annotations

import importlib.machinery
import inspect
import json
import os
import signal
import sys
import traceback
import types
from pathlib import Path
from typing import Any

from crawler.builds.setup_py.stand_ins import declared_extensions, process_watch
from crawler.builds.setup_py.stand_ins.child_interpreters import hook_children
from crawler.builds.setup_py.stand_ins.failure_skipping import (
    FailureSkippingLoader,
    compile_skipping_failures,
)
from crawler.builds.setup_py.stand_ins.import_finder import StandInFinder
from crawler.builds.setup_py.stand_ins.known_libraries import register_known_libraries
from crawler.builds.setup_py.stand_ins.placeholder import Placeholder

_SECONDS = 20.0
"""Of the processor's time."""
_FRAMES = 8
_OUT_OF_TIME = 75


def main(request: str, record: str) -> None:
    """Do what `request` says: `{root, setup, modules, stubborn, hip, versions}` as JSON."""
    wanted = json.loads(request)
    register_known_libraries(wanted["versions"], hip=wanted["hip"])
    hook_children()
    _import_from(wanted["root"], persists=wanted["stubborn"])
    process_watch.watch_project(wanted["root"])
    _end_in_time(Path(record))
    failed = False
    try:
        if wanted["setup"]:
            _run(wanted["setup"], "__main__", persists=wanted["stubborn"])
        for path in wanted["modules"]:
            _call_loaders(_run(path, f"standing.{Path(path).stem}", persists=True))
    except (Exception, SystemExit) as error:
        failed = not isinstance(error, SystemExit) or error.code not in (None, 0)
        traceback.print_exc()
    finally:
        _write(Path(record), failed=failed)


def _end_in_time(record: Path) -> None:
    """Write down what is known when the time is over: what fails in a loop would go on for ever."""

    def end(_: int, frame: types.FrameType | None) -> None:
        traceback.print_stack(frame, limit=_FRAMES)
        _write(record, failed=True)
        os._exit(_OUT_OF_TIME)

    signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, _SECONDS)


def _import_from(root: str, *, persists: bool) -> None:
    loader = FailureSkippingLoader if persists else importlib.machinery.SourceFileLoader
    sys.meta_path[:] = [
        finder
        for finder in sys.meta_path
        if "distutils" not in type(finder).__name__.lower()
    ]
    sys.meta_path.insert(0, StandInFinder(root, loader))
    # a project may have a package of this name, too
    for name in [
        name
        for name in sys.modules
        if name.partition(".")[0] == __package__.partition(".")[0]
    ]:
        del sys.modules[name]


def _run(path: str, name: str, *, persists: bool) -> dict[str, Any]:
    """Run a file in its own folder, a module of a package in that of the tree, and return its
    names.
    """
    folder = str(Path(path).parent)
    if name == "__main__":
        os.chdir(folder)
        sys.argv = ["setup.py", "build_ext", "--inplace"]
    sys.path.insert(0, folder)
    source = Path(path).read_bytes()
    code = (
        compile_skipping_failures(source, path)
        if persists
        else compile(source, path, "exec")
    )
    module = types.ModuleType(name)
    module.__file__, module.__package__ = path, name.rpartition(".")[0]
    sys.modules[name] = module
    exec(code, module.__dict__)  # noqa: S102
    return module.__dict__


def _call_loaders(names: dict[str, Any]) -> None:
    """Call the functions that compile on the spot, with anything for what they need."""
    for value in [*names.values()]:
        if isinstance(value, types.FunctionType) and {"load", "cpp_extension"} & {
            *value.__code__.co_names
        }:
            needed = [
                one
                for one in inspect.signature(value).parameters.values()
                if one.default is one.empty
            ]
            plain = [
                one
                for one in needed
                if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
            ]
            try:
                value(*(Placeholder() for _ in plain))
            except Exception as error:
                print(f"{value.__name__}: {type(error).__name__}: {error}")  # noqa: T201


def _write(record: Path, *, failed: bool) -> None:
    told = {
        "extensions": declared_extensions.DECLARED_EXTENSIONS,
        "compiled": process_watch.STARTED_COMPILERS,
        "asked": list(process_watch.READ_VARIABLES),
        "failed": failed,
    }
    record.write_text(json.dumps(_plain(told)))


def _plain(value: object, depth: int = 0) -> Any:
    if isinstance(value, dict) and depth < 8:
        return {str(key): _plain(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list | tuple | set) and depth < 8:
        return [
            _plain(inner, depth + 1)
            for inner in value
            if not isinstance(inner, Placeholder)
        ]
    return (
        value if value is None or isinstance(value, str | int | float) else str(value)
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
