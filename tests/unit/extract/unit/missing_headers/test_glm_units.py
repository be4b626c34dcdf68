"""A project whose submodule of GLM is not there has units all the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.libraries.discovery import find_installed
from crawler.validate.build import build_unit

SOURCE = """#include <glm/glm.hpp>
#include <glm/gtc/type_ptr.hpp>
struct Camera { glm::mat4 view; };
__global__ void project(const Camera* camera, const glm::vec3* points, float* depths) {
  glm::vec4 seen = camera->view * glm::vec4(points[threadIdx.x], 1.0f);
  depths[threadIdx.x] = glm::length(glm::vec3(seen) / seen.w);
}
"""


@pytest.mark.apt
def test_a_unit_is_compiled_with_the_installed_one(project: Callable[..., Any]) -> None:
    if find_installed("glm") is None:
        pytest.skip("GLM is not installed: run `deploy/bootstrap`")
    (kernel,) = project({"a.cu": SOURCE}).kernels()
    assert [name for name, _ in kernel.unit.libraries] == ["glm"]
    # Debian's version does not know the compiler of HIP
    assert build_unit(kernel.unit, "sm_80").build.pass_call.message == ""
