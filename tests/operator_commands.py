"""How the commands of other programs that our documents show are checked where those programs
are not.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import yaml

ROOT = Path(__file__).resolve().parents[1]
KERNELSET = "kernelset"
RUN_ELSEWHERE: Final = {
    "createdb": "test_deploy_backup.py",
    "pg_dump": "test_deploy_backup.py",
    "pg_restore": "test_deploy_backup.py",
    "rclone": "test_deploy_backup.py",
    "deploy/secrets": "test_deploy_compose.py",
    "deploy/bootstrap": "test_deploy_images.py",
    # which `make test` runs for it
    "deploy/torch-venv": "test_project_tests.py",
    "deploy/readers-venv": "test_walkthrough.py",
    "deploy/evaluators-venv": "test_evaluation.py",
    "deploy/model-venv": "test_complete_by_a_small_model.py",
    "inspect": "test_evaluation.py",
    "vf-eval": "test_evaluation.py",
    "python3": "test_validate_device.py",
}
"""Programs whose commands a test runs that has the servers for them."""
Command = list[str]


def check(program: str, arguments: Command) -> list[Command]:
    """Look whether a command names what there is; returns the commands of ours that it starts
    somewhere.
    """
    if program in RUN_ELSEWHERE:
        assert list((ROOT / "tests").rglob(RUN_ELSEWHERE[program])), program
        return []
    assert program in PROGRAMS, f"say here how {program} is checked"
    return list(PROGRAMS[program](list(arguments)) or ())


def _values(words: Sequence[str], flag: str) -> list[str]:
    apart = [after for word, after in pairwise(words) if word == flag]
    return apart + [
        word.partition("=")[2] for word in words if word.startswith(f"{flag}=")
    ]


def _there(paths: Iterable[str]) -> None:
    for path in paths:
        assert (ROOT / path).exists(), path


def _docker(words: Command) -> Iterator[Command]:
    if words[0] == "build":
        (file,) = _values(words, "--file")
        for argument in _values(words, "--build-arg"):
            assert f"ARG {argument.split('=')[0]}=" in (ROOT / file).read_text()
        assert words[-1] == "."
    elif words[0] == "run":
        image = next(
            index
            for index, word in enumerate(words)
            if re.fullmatch(r"kernelset:(cpu|rocm|cuda)", word)
        )
        yield words[image + 1 :]
    else:
        assert words[0] == "compose"
        yield from _compose(words[1:])


def _compose(words: Command) -> Iterator[Command]:
    (file,), profiles = _values(words, "--file"), _values(words, "--profile")
    services: dict[str, Any] = yaml.safe_load((ROOT / file).read_text())["services"]
    assert all(
        any(
            profile in profile_service["profiles"]
            for profile_service in services.values()
        )
        for profile in profiles
    )
    verb, *rest = words[2 + 2 * len(profiles) :]
    named = [word for word in rest if not word.startswith("-")]
    if verb == "up":
        assert all(
            scale.split("=")[0] in services for scale in _values(rest, "--scale")
        )
    elif verb in {"run", "exec"}:
        begun = services[named[0]].get("entrypoint", [])[-1:] if verb == "run" else []
        inside = rest[rest.index(named[0]) + 1 :]
        yield [*begun, *(inside if verb == "run" else inside[1:])]
    else:
        assert verb in {"down", "logs", "pull", "ps"}


def _helm(words: Command) -> None:
    import helm_python

    values: dict[str, Any] = {}
    for file in _values(words, "--values"):
        values |= yaml.safe_load((ROOT / file).read_text())
    for setting in _values(words, "--set"):
        values |= helm_python.parse_set_string(setting)
    (chart,) = (
        word
        for word in words
        if word.startswith("deploy/helm/") and (ROOT / word).is_dir()
    )
    with helm_python.Chart.load(str(ROOT / chart)) as loaded:
        assert loaded.render(values, name="ks", namespace="kernels")


def _kubectl(words: Command) -> Iterator[Command]:
    if "exec" in words:
        assert words[words.index("exec") + 1] == "deploy/ks-dispatcher"
        yield words[words.index("--") + 2 :]
    secrets = {Path(path).name for path in _values(words, "--from-file")}
    if secrets:
        assert secrets == {"database", "broker", "s3_credentials"}


def _sbatch(words: Command) -> None:
    _there(word for word in words if not word.startswith("-"))
    text = (ROOT / words[-1]).read_text() + (ROOT / "deploy/slurm/worker").read_text()
    names = [
        variable.split("=")[0]
        for value in _values(words, "--export")
        for variable in value.split(",")
    ]
    assert all(name == "ALL" or f"${{{name}" in text for name in names)


def _systemctl(words: Command) -> None:
    _there(f"deploy/systemd/{re.sub('@[^.]*', '@', words[-1])}" for _ in words[:1])


def _pip(words: Command) -> None:
    verb, *rest = words
    assert verb in {"install", "wheel"}
    for place in (word for word in rest if not word.startswith("-")):
        _installed_programs(place)


def _pipx(words: Command) -> None:
    verb, place = words
    assert verb == "install"
    assert _installed_programs(place)


def _uv(words: Command) -> None:
    assert words[:2] == ["tool", "install"]
    assert _installed_programs(*words[2:])


def _uvx(words: Command) -> Iterator[Command]:
    flag, place, program, *arguments = words
    assert flag == "--from"
    assert program in _installed_programs(place)
    yield arguments


def _installed_programs(place: str) -> Iterable[str]:
    """Return the programs of our package, which lies at `place` with extras in brackets."""
    folder, _, extras = place.partition("[")
    project = tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"]
    assert project["name"] == KERNELSET
    for extra in filter(None, extras.rstrip("]").split(",")):
        assert extra in project["optional-dependencies"], extra
    scripts: dict[str, str] = project["scripts"]
    return scripts


PROGRAMS: Final[dict[str, Callable[[Command], Iterable[Command] | None]]] = {
    "docker": _docker,
    "helm": _helm,
    "kubectl": _kubectl,
    "pip": _pip,
    "pipx": _pipx,
    "sbatch": _sbatch,
    "systemctl": _systemctl,
    "uv": _uv,
    "uvx": _uvx,
}
