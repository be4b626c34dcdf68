"""A project whose submodule of Eigen is not there has units all the same, for both targets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.libraries.discovery import find_installed
from crawler.port.port import port_unit
from crawler.validate.build import build_unit

SOURCE = """#include <Eigen/Dense>
template <class T> struct Rotation {
  Eigen::Quaternion<T> q;
  EIGEN_DEVICE_FUNC explicit Rotation(const T* data) : q(Eigen::Map<const Eigen::Quaternion<T>>(data)) { q.normalize(); }
  EIGEN_DEVICE_FUNC Eigen::Matrix<T, 3, 1> turn(const Eigen::Matrix<T, 3, 1>& p) const {
    Eigen::Matrix<T, 3, 1> half = q.vec().cross(p);
    half += half;
    return p + q.w() * half + q.vec().cross(half);
  }
};
__global__ void turn(const float* rotations, float* points) {
  Eigen::Map<Eigen::Vector3f> point(points + 3 * threadIdx.x);
  point = Rotation<float>(rotations + 4 * blockIdx.x).turn(point);
  point(0) += point.norm() + Eigen::Matrix2f::Identity().determinant();
}
"""


@pytest.mark.apt
def test_a_unit_is_compiled_with_the_installed_one(project: Callable[..., Any]) -> None:
    if find_installed("eigen") is None:
        pytest.skip("Eigen is not installed: run `deploy/bootstrap`")
    (kernel,) = project({"a.cu": SOURCE}).kernels()
    assert [name for name, _ in kernel.unit.libraries] == ["eigen"]
    assert build_unit(kernel.unit, "sm_80").build.pass_call.message == ""
    ported = build_unit(port_unit(kernel.unit), "gfx90a").build.pass_call
    assert ported.message == ""
