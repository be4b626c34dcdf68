"""The version of runs on devices: raise it when the same unit and cases would come to another verdict there."""

from typing import Final

VERSION: Final = "2"
