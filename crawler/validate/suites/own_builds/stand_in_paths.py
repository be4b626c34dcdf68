"""Where a project that builds itself, its toolkit and its results lie inside the sandbox."""

from __future__ import annotations

from typing import Final

CHECKOUT_MOUNT: Final = "/checkout"
"""The project, which its build may write to."""
BUILD_MOUNT: Final = "/build"
"""The build folder of CMake."""
RESULTS_MOUNT: Final = "/results"
"""What a run leaves for us, and what stand-in compilers share."""
TOOLS_MOUNT: Final = "/kernelset"
"""Our own programs that run inside."""
GOOGLETEST_MOUNT: Final = "/opt/googletest"
"""The system's sources of GoogleTest."""
NEEDED_MOUNT: Final = "/opt/needed"
"""Projects that another one fetches, each in a folder of its name."""
SETTINGS_FILE: Final = "compilers.json"
"""Of the toolkit: what stand-in compilers are told."""
KERNELS_FILE: Final = "kernels"
"""Of the results: kernels by their numbers, a line each."""
