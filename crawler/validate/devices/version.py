"""Version of the `validate-device` stage: raise it when the same unit and cases would get
another verdict.
"""

from typing import Final

VERSION: Final = "4"
