"""Run a `setup.py` or modules of a project, and record the extensions that they declare.

The record is also written where the project fails.
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

_CPU_SECONDS = 20.0
_MAX_PRINTED_FRAMES = 8
_MAX_DEPTH = 8
_OUT_OF_TIME_EXIT_CODE = 75
_RUN_TIME_COMPILERS = frozenset({"load", "cpp_extension"})


def main(request: str, record: str) -> None:
    """Do what `request` says: `{root, setup, modules, stubborn, hip, versions}` as JSON."""
    options = json.loads(request)
    record_path = Path(record)
    register_known_libraries(options["versions"], hip=options["hip"])
    hook_children()
    _install_import_finder(options["root"], skips_failures=options["stubborn"])
    process_watch.watch_project(options["root"])
    _limit_cpu_time(record_path)

    failed = False

    try:
        if options["setup"]:
            _run_file(
                options["setup"],
                "__main__",
                skips_failures=options["stubborn"],
            )

        for path in options["modules"]:
            module_name = f"standing.{Path(path).stem}"
            _call_loaders(_run_file(path, module_name, skips_failures=True))
    except (Exception, SystemExit) as error:
        # `sys.exit()` and `sys.exit(0)` are no failure.
        failed = not isinstance(error, SystemExit) or error.code not in (None, 0)
        traceback.print_exc()
    finally:
        _write_record(record_path, failed=failed)


def _limit_cpu_time(record: Path) -> None:
    """Write the record and end when the time is used up.

    A statement that fails in an endless loop would be skipped for ever.
    """

    def end_process(_: int, frame: types.FrameType | None) -> None:
        traceback.print_stack(frame, limit=_MAX_PRINTED_FRAMES)
        _write_record(record, failed=True)
        os._exit(_OUT_OF_TIME_EXIT_CODE)

    signal.signal(signal.SIGPROF, end_process)
    signal.setitimer(signal.ITIMER_PROF, _CPU_SECONDS)


def _install_import_finder(root: str, *, skips_failures: bool) -> None:
    # setuptools puts a finder there that would import its own distutils.
    sys.meta_path[:] = [
        finder
        for finder in sys.meta_path
        if "distutils" not in type(finder).__name__.lower()
    ]

    loader = importlib.machinery.SourceFileLoader

    if skips_failures:
        loader = FailureSkippingLoader

    sys.meta_path.insert(0, StandInFinder(root, loader))

    # A project may have a package of the same name as ours.
    own_package = __package__.partition(".")[0]
    own_modules = [
        name for name in sys.modules if name.partition(".")[0] == own_package
    ]

    for name in own_modules:
        del sys.modules[name]


def _run_file(path: str, module_name: str, *, skips_failures: bool) -> dict[str, Any]:
    """Run a file as the named module, and return the names that it has defined.

    A `setup.py` runs in its own folder, any other module in that of the tree.
    """
    folder = str(Path(path).parent)

    if module_name == "__main__":
        os.chdir(folder)
        sys.argv = ["setup.py", "build_ext", "--inplace"]

    sys.path.insert(0, folder)

    code = _compile_file(path, skips_failures=skips_failures)
    module = types.ModuleType(module_name)
    module.__file__ = path
    module.__package__ = module_name.rpartition(".")[0]
    sys.modules[module_name] = module
    exec(code, module.__dict__)  # noqa: S102

    return module.__dict__


def _compile_file(path: str, *, skips_failures: bool) -> types.CodeType:
    source = Path(path).read_bytes()
    if skips_failures:
        return compile_skipping_failures(source, path)

    return compile(source, path, "exec")


def _call_loaders(names: dict[str, Any]) -> None:
    """Call each function that compiles at run time, with placeholders for its parameters."""
    for function in list(names.values()):
        if not isinstance(function, types.FunctionType):
            continue
        if _RUN_TIME_COMPILERS.isdisjoint(function.__code__.co_names):
            continue

        # `def get_ops(name, *, verbose=False)` is called with one.
        placeholders = [Placeholder() for _ in range(_count_required(function))]

        try:
            function(*placeholders)
        except Exception as error:
            print(  # noqa: T201
                f"{function.__name__}: {type(error).__name__}: {error}"
            )


def _count_required(function: types.FunctionType) -> int:
    """Return how many positional arguments a function must be given."""
    count = 0
    for parameter in inspect.signature(function).parameters.values():
        is_positional = parameter.kind in (
            parameter.POSITIONAL_ONLY,
            parameter.POSITIONAL_OR_KEYWORD,
        )

        if is_positional and parameter.default is parameter.empty:
            count += 1

    return count


def _write_record(path: Path, *, failed: bool) -> None:
    record = {
        "extensions": declared_extensions.DECLARED_EXTENSIONS,
        "compiled": process_watch.STARTED_COMPILERS,
        "read_variables": list(process_watch.READ_VARIABLES),
        "failed": failed,
    }

    path.write_text(json.dumps(_to_json_value(record)))


def _to_json_value(value: object, depth: int = 0) -> Any:
    """Return what JSON can hold of a value: what is deep, or of another kind, as text."""
    is_deep = depth >= _MAX_DEPTH
    if isinstance(value, dict) and not is_deep:
        return {
            str(key): _to_json_value(inner, depth + 1) for key, inner in value.items()
        }

    # A placeholder in a list stands for a path that nobody knows.
    if isinstance(value, list | tuple | set) and not is_deep:
        return [
            _to_json_value(inner, depth + 1)
            for inner in value
            if not isinstance(inner, Placeholder)
        ]

    if value is None or isinstance(value, str | int | float):
        return value

    return str(value)


if __name__ == "__main__":
    main(*sys.argv[1:])
