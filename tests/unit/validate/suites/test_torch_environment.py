"""An interpreter is asked for its PyTorch, and is not believed where it has none of use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crawler.errors import MissingTool
from crawler.validate.suites.torch_environment import (
    TorchEnvironment,
    open_torch_environment,
)

ANSWER = {
    "version": "2.5.1+cpu",
    "is_cuda_build": False,
    "has_new_abi": True,
    "torch": "/opt/env/lib/torch",
    "standards": ["c++14", "c++17"],
    "includes": ["/opt/env/lib/torch/include", "/opt/env/include"],
    "folders": ["/opt/env", "/usr", "/opt/env/lib"],
    "packages": ["numpy==2.3.4"],
}


def write_python(folder: Path, output: str, name: str = "python") -> str:
    """Write what stands for an interpreter: it prints `output`, whatever it is asked."""
    answer = folder / f"{name}.txt"
    answer.write_text(output)
    path = folder / name
    path.write_text(f"#!/bin/sh\ncat {answer}\n")
    path.chmod(0o755)
    return str(path)


def open_with(folder: Path, **changes: Any) -> TorchEnvironment:
    return open_torch_environment(
        write_python(folder, json.dumps({**ANSWER, **changes}))
    )


def test_what_it_prints_before_its_answer_is_passed_over(tmp_path: Path) -> None:
    python = write_python(tmp_path, f"a warning\n{{}}\n{json.dumps(ANSWER)}\n")
    environment = open_torch_environment(python)
    assert environment.version == "2.5.1+cpu"
    assert environment.packages == ("numpy==2.3.4",)


def test_it_is_known_by_its_own_path_and_not_by_where_a_link_leads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_python(tmp_path, json.dumps(ANSWER), "real")
    (tmp_path / "linked").symlink_to(tmp_path / "real")
    monkeypatch.chdir(tmp_path)
    environment = open_torch_environment("./linked")
    assert environment.python == str(tmp_path / "linked")


@pytest.mark.parametrize(
    "output",
    [
        "",
        "\n\n",
        "ModuleNotFoundError: No module named 'torch'",
        "[]",
        "{",
        json.dumps({**ANSWER, "includes": "not a list"}),
        json.dumps({key: ANSWER[key] for key in ANSWER if key != "version"}),
    ],
)
def test_one_without_pytorch_is_refused_with_what_to_do(
    tmp_path: Path, output: str
) -> None:
    python = write_python(tmp_path, output)
    with pytest.raises(MissingTool, match="--python") as refusal:
        open_torch_environment(python)
    assert python in str(refusal.value)


def test_a_long_complaint_is_cut(tmp_path: Path) -> None:
    python = write_python(tmp_path, "x" * 100_000)
    with pytest.raises(MissingTool) as refusal:
        open_torch_environment(python)
    assert len(str(refusal.value)) < 1000


def test_one_that_is_built_for_cuda_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingTool, match="built for CUDA") as refusal:
        open_with(tmp_path, is_cuda_build=True)
    assert "2.5.1+cpu" in str(refusal.value)


def test_the_newest_standard_that_it_names_is_needed(tmp_path: Path) -> None:
    assert open_with(tmp_path).standard == "c++17"


def test_an_old_one_that_names_no_standard_takes_the_usual(tmp_path: Path) -> None:
    assert open_with(tmp_path, standards=[]).standard == "c++17"


@pytest.mark.parametrize("has_new_abi", [True, False])
def test_sources_are_compiled_for_its_own_strings(
    tmp_path: Path, has_new_abi: bool
) -> None:
    flags = open_with(tmp_path, has_new_abi=has_new_abi).system_flags
    assert flags[:2] == ("-isystem", "/opt/env/lib/torch/include")
    assert f"-D_GLIBCXX_USE_CXX11_ABI={int(has_new_abi)}" in flags


def test_a_sandbox_shows_each_folder_once_and_usr_anyway(tmp_path: Path) -> None:
    mounts = open_with(tmp_path, torch="/home/me/torch").list_mounts()
    assert [mount.target for mount in mounts] == ["/home/me/torch", "/opt/env"]
    assert all(str(mount.source) == mount.target for mount in mounts)


def test_a_folder_of_a_similar_name_is_another(tmp_path: Path) -> None:
    mounts = open_with(tmp_path, folders=["/opt/env", "/opt/env2"]).list_mounts()
    assert [mount.target for mount in mounts] == ["/opt/env", "/opt/env2"]
