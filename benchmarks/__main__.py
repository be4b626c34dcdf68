"""List the benchmarks, or run them, each into its own report.

python -m benchmarks --list
python -m benchmarks [--results DIR] [NAME [OPTION…]]      one with its own options, or all that
need none
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import benchmarks

RESULTS = Path(__file__).parent / "results"


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    modules = find_benchmarks()
    if arguments.list:
        for name, module in modules.items():
            needs = (
                ""
                if runs_without_arguments(module)
                else " (not run by default: it needs arguments)"
            )
            print(f"{name:<18}{_summarise_module(module)}{needs}")
        return 0
    if arguments.name and arguments.name not in modules:
        print(
            f"no benchmark is called {arguments.name}: there is {', '.join(modules)}",
            file=sys.stderr,
        )
        return 2
    names = (
        [arguments.name]
        if arguments.name
        else [
            name for name, module in modules.items() if runs_without_arguments(module)
        ]
    )
    return max(
        _run(name, modules[name], arguments.options, arguments.results)
        for name in names
    )


def find_benchmarks() -> dict[str, ModuleType]:
    """Return the modules below this package that have a `main`, by their own name."""
    module_infos = pkgutil.walk_packages(benchmarks.__path__, "benchmarks.")
    paths = sorted(
        info.name for info in module_infos if not info.name.endswith("__main__")
    )
    modules = {path.rpartition(".")[2]: importlib.import_module(path) for path in paths}
    return {
        name: module
        for name, module in sorted(modules.items())
        if hasattr(module, "main")
    }


def runs_without_arguments(module: ModuleType) -> bool:
    """Tell whether it runs without arguments; `ALONE = False` says that it does not."""
    return bool(getattr(module, "ALONE", True))


def _run(name: str, module: ModuleType, options: Sequence[str], results: Path) -> int:
    report = results / f"{name}.md"
    print(f"{name} → {report}", file=sys.stderr)
    results.mkdir(parents=True, exist_ok=True)
    code: int = module.main([*options, "--results", str(report)])
    return code


def _summarise_module(module: ModuleType) -> str:
    return (module.__doc__ or "").strip().splitlines()[0]


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--list", action="store_true", help="say what there is")
    parser.add_argument(
        "--results",
        type=Path,
        default=RESULTS,
        metavar="DIR",
        help="where the reports go",
    )
    parser.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        help="one benchmark; all that need no options if left out",
    )
    parser.add_argument(
        "options",
        nargs=argparse.REMAINDER,
        metavar="OPTION",
        help="options of that benchmark",
    )
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
