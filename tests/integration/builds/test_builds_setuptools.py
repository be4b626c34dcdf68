from __future__ import annotations

from pathlib import Path

import pytest

from crawler.builds.database.compile_database import build_compile_database
from crawler.builds.setup_py import stand_in_run
from crawler.builds.systems.setuptools import PLUGIN
from crawler.checkout.source_tree import open_tree
from crawler.errors import ConfigureFailed
from crawler.model import CompileCommand, FlagsOrigin
from crawler.process_limits import Limits

pytestmark = pytest.mark.apt

KERNEL = "__global__ void k(int* p) { *p = 1; }\n"
HEAD = """
import os, sys, glob, subprocess
import torch
from setuptools import find_packages, setup
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CppExtension, CUDAExtension
"""
DECLARE = "setup(name='p', ext_modules=[CUDAExtension('p._ext', ['src/k.cu'])])\n"
IN_THE_WILD = {
    "what is there decides": """
import pkg_resources
from packaging.version import Version, parse
assert parse(torch.__version__) >= Version("1.11") and CUDA_HOME is not None and torch.version.hip is None
assert parse(torch.version.cuda) < Version("13")
if torch.cuda.is_available() or os.getenv("FORCE_CUDA", "0") == "1":
    sources = sorted(glob.glob("src/*.cu"))
    setup(name="p", packages=find_packages(), ext_modules=[CUDAExtension(
        name="p._ext", sources=sources, include_dirs=[os.path.abspath("inc")],
        define_macros=[("WITH_CUDA", None), ("N", "3")], extra_compile_args={"cxx": ["-O3"], "nvcc": ["-DNVCC_ONLY"]})],
        cmdclass={"build_ext": BuildExtension.with_options(use_ninja=False)})
""",
    "the release of nvcc is asked": """
release = subprocess.check_output([CUDA_HOME + "/bin/nvcc", "-V"], text=True).split("release ")[1].split(",")[0]
flags = ["-DNVCC_ONLY"] if float(release) >= 11 else ["-DOLD"]
major, minor = torch.cuda.get_device_capability()
flags.append(f"-gencode=arch=compute_{major}{minor},code=sm_{major}{minor}")
setup(ext_modules=[CUDAExtension("p._ext", ["src/k.cu"], include_dirs=["inc"], extra_compile_args={"nvcc": flags},
                                 define_macros=[("WITH_CUDA", None), ("N", 3)])])
""",
    "a library that is not here, and a command of its own": """
import some_build_tool.helpers as tool
from setuptools.command.build_ext import build_ext
class Build(BuildExtension):
    def run(self): raise RuntimeError
class Other(build_ext, object): pass
ext = CUDAExtension("p._ext", ["src/k.cu"], include_dirs=["inc", tool.include()])
ext.extra_compile_args = {"nvcc": "-DNVCC_ONLY".split()}
ext.define_macros = [("WITH_CUDA", None), ("N", "3")]
setup(ext_modules=[ext], cmdclass={"build_ext": Build}, version=tool.version)
""",
    "asked for by a variable, and it writes into its sources": """
if not os.environ.get("P_BUILD_CUDA"):
    sys.exit("no GPU")
with open("version.py", "w") as stream:
    stream.write("1")
setup(ext_modules=[CUDAExtension("p._ext", [os.path.join(os.getcwd(), "src/k.cu")], include_dirs=["inc"],
      define_macros=[("WITH_CUDA", None), ("N", "3")], extra_compile_args={"nvcc": ["-DNVCC_ONLY"]})])
""",
    "folders of headers for all extensions": """
setup(include_dirs=["inc"], ext_modules=[CUDAExtension("p._ext", ["src/k.cu"],
      define_macros=[("WITH_CUDA", None), ("N", "3")], extra_compile_args={"nvcc": ["-DNVCC_ONLY"]})])
""",
    "it fails after it has declared": """
CUDAExtension("p._ext", ["src/k.cu"], include_dirs=["inc"], define_macros=[("WITH_CUDA", None), ("N", "3")],
              extra_compile_args=["-DNVCC_ONLY"])
raise SystemExit("git is missing")
""",
}


def project(root: Path, setup: str) -> Path:
    for name, text in {
        "setup.py": HEAD + setup,
        "src/k.cu": KERNEL,
        "inc/k.h": "",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def find_commands(root: Path, scratch: Path) -> dict[str, CompileCommand]:
    return {
        command.file: command
        for command in PLUGIN.find_commands(open_tree(root), scratch).commands
    }


@pytest.mark.parametrize("setup", IN_THE_WILD.values(), ids=IN_THE_WILD.keys())
def test_what_a_setup_declares_is_recorded(
    setup: str, tmp_path: Path, scratch: Path
) -> None:
    root = project(tmp_path / "p", setup)
    command = find_commands(root, scratch)["src/k.cu"]
    assert {
        "-DNVCC_ONLY",
        "-DWITH_CUDA",
        "-DN=3",
        "-Iinc",
        "-DTORCH_EXTENSION_NAME=_ext",
    } <= set(command.arguments)
    assert command.origin is FlagsOrigin.RECORDED
    assert not (root / "version.py").exists()


def test_of_two_builds_of_one_file_that_for_the_device_is_kept(tmp_path: Path) -> None:
    setup = """
setup(ext_modules=[CppExtension("p._cpu", ["src/bind.cpp"]),
                   CUDAExtension("p._cuda", ["src/bind.cpp", "src/k.cu"], define_macros=[("WITH_CUDA", None)])])
"""
    root = project(tmp_path, setup)
    (root / "src/bind.cpp").write_text("PYBIND11_MODULE(a, b) {}")
    commands = {
        command.file: command for command in build_compile_database(root).commands
    }
    assert "-DWITH_CUDA" in commands["src/bind.cpp"].arguments


def test_a_setup_in_a_folder_means_its_own_folder(
    tmp_path: Path, scratch: Path
) -> None:
    project(tmp_path / "ops", DECLARE)
    assert find_commands(tmp_path, scratch).keys() == {"ops/src/k.cu"}


@pytest.mark.parametrize(
    ("setup", "message"),
    [
        ("raise RuntimeError('wants a supercomputer')", "wants a supercomputer"),
        ("setup(name='pure')", "0 commands"),
        ("def broken(:", "SyntaxError"),
    ],
)
def test_nothing_declared_is_a_failure_that_says_why(
    setup: str, message: str, tmp_path: Path, scratch: Path
) -> None:
    with pytest.raises(ConfigureFailed) as raised:
        find_commands(project(tmp_path / "p", setup), scratch)
    assert message in str(raised.value) + raised.value.output
    assert raised.value.code == "configure-failed"


def test_an_endless_setup_is_ended(
    tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stand_in_run, "_LIMITS", Limits(seconds=1))
    with pytest.raises(ConfigureFailed, match="over 1 seconds"):
        find_commands(project(tmp_path / "p", "while True: pass"), scratch)


@pytest.mark.parametrize(
    "forged",
    [
        "[" * 5000,
        "[]",
        "\\xff",
        '{"extensions": [{"sources": 3}]}',
        '{"extensions": [{"directory": [], "sources": [["x"], {}, null, "/etc/passwd.cu", "/etc/k.cu"]}]}',
        '{"compiled": [{"directory": "/etc", "arguments": ["nvcc", "k.cu"]}, {"directory": "", "arguments": []}]}',
    ],
)
def test_a_forged_record_is_refused(forged: str, tmp_path: Path, scratch: Path) -> None:
    setup = f"open('/record/setup.json', 'w').write('''{forged}''')\nos._exit(0)\n"
    with pytest.raises(ConfigureFailed):
        find_commands(project(tmp_path / "p", setup), scratch)


@pytest.mark.parametrize(
    "trick", ["os.symlink(target, record)", "os.mkfifo(record)", "os.mkdir(record)"]
)
def test_a_record_that_is_no_file_is_neither_followed_nor_waited_for(
    trick: str, tmp_path: Path, scratch: Path
) -> None:
    target = tmp_path / "host.json"
    target.write_text(
        '{"extensions": [{"directory": "/src", "sources": ["src/k.cu"]}]}'
    )
    setup = f"target, record = {str(target)!r}, '/record/setup.json'\n{trick}\nos._exit(0)\n"
    with pytest.raises(ConfigureFailed):
        find_commands(project(tmp_path / "p", setup), scratch)


def test_what_a_record_names_outside_the_checkout_does_not_get_through(
    tmp_path: Path, scratch: Path
) -> None:
    setup = """
setup(ext_modules=[CUDAExtension("p", ["src/k.cu", "/etc/passwd", "../../x.cu"], include_dirs=["/etc", "../.."],
      extra_compile_args={"nvcc": ["-include", "/etc/passwd", "-Xclang", "-load", "@/etc/passwd", "-fplugin=/x.so"]})])
"""
    commands = find_commands(project(tmp_path / "p", setup), scratch)
    assert commands.keys() == {"src/k.cu"}
    assert all(
        word.startswith(("-D", "-std=")) for word in commands["src/k.cu"].arguments
    )


def test_what_a_setup_runs_sees_nothing_of_the_host(
    tmp_path: Path, scratch: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("password")
    setup = f"""
print("SEEN", os.path.exists({str(secret)!r}), os.environ.get("SECRET"), os.getuid() == 0, os.listdir("/src"))
import socket
try: socket.create_connection(("192.0.2.1", 80), timeout=2); print("ONLINE")
except OSError: print("OFFLINE")
{DECLARE}"""
    answer = PLUGIN.find_commands(open_tree(project(tmp_path / "p", setup)), scratch)
    assert "SEEN False None False" in answer.log
    assert "OFFLINE" in answer.log
