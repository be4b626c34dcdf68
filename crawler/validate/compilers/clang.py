"""Compile device code with clang: a linked code object for AMD, PTX for NVIDIA."""

from __future__ import annotations

from typing import Final

from crawler.validate.toolchains.clang_compiler import ClangCompiler
from crawler.validate.validator_interface import Validator

PLUGIN: Final[Validator] = ClangCompiler()
