from __future__ import annotations

from pathlib import Path

from crawler.builds.cmake.compiler_seed import get_configure_environment
from crawler.builds.cmake.configuration import (
    CONFIGURE_FLAGS,
    Configuration,
    write_toolkits,
    write_tree_facts,
)
from crawler.checkout.source_tree import open_tree
from crawler.model import Dialect


def test_cache_variables_become_arguments_in_their_order() -> None:
    configuration = Configuration(
        dialect=Dialect.CUDA, variables={"USE_CUDA": "ON", "NAMES": "a;b"}
    )
    assert configuration.make_arguments() == ["-DUSE_CUDA=ON", "-DNAMES=a;b"]
    assert configuration.has_stand_ins


def test_the_tree_is_described_in_a_script_that_cmake_can_include(
    tmp_path: Path,
) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "CMakeLists.txt").write_text(
        "project(p)\n"
        "function(own_helper)\nendfunction()\n"
        "own_helper()\n"
        "somebodys_macro()\n"
        "target_link_libraries(p Torch::Torch)\n"
    )
    mount = write_tree_facts(open_tree(root), tmp_path / "tree.cmake")
    lines = mount.source.read_text().splitlines()
    assert lines[0] == "set(KERNELSET_OWN own_helper)"
    assert lines[1].startswith("set(KERNELSET_UNKNOWN project function ")
    assert "somebodys_macro" in lines[1]
    assert "own_helper" not in lines[1].split()
    assert lines[2] == "set(KERNELSET_TARGETS Torch::Torch)"
    assert all(line.startswith("set(KERNELSET_") for line in lines)
    assert not mount.writable


def test_the_toolkits_lie_where_the_flags_and_the_environment_say(
    tmp_path: Path,
) -> None:
    targets = {mount.target for mount in write_toolkits(tmp_path)}
    environment = get_configure_environment()
    assert {environment["CUDA_HOME"], environment["ROCM_PATH"]} <= targets
    assert f"-DCUDAToolkit_ROOT={environment['CUDA_HOME']}" in CONFIGURE_FLAGS
