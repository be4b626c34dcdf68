"""Settings: a flag overrides `KERNELSET_*`, which overrides `kernelset.toml`, which overrides
the default.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import AfterValidator, Field, SecretStr, field_validator
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from crawler.sandbox_choice import DEFAULT_SANDBOX, list_sandboxes
from workers.config.quota_rules import check_quota

if TYPE_CHECKING:
    from crawler.sources.options import SourceOptions
    from crawler.validate.strength.strength_class import StrengthThresholds

# Every command reads the settings, and functions import what they alone need: `query` must
# not wait for what fetches and validates.

VARIABLE_PREFIX: Final = "KERNELSET_"
"""What the environment variable of each setting begins with."""


class Settings(BaseSettings):
    """Everything that can be set; `docs/configuration.md` lists it."""

    model_config = SettingsConfigDict(
        env_prefix=VARIABLE_PREFIX, extra="forbid", frozen=True
    )

    home: Path = Path("~/.kernelset")
    """Where all state lives."""
    database: SecretStr | None = None
    """Address of a Postgres that holds ledger and index; without one, the embedded database
    under `home`.
    """
    blobs: str = ""
    """`s3://BUCKET[/PREFIX]`; without one, blobs lie under `home`."""
    s3_endpoint: str = ""
    """Address of an S3 server that is not Amazon's."""
    s3_region: str = ""
    """Region of the bucket, where the environment does not say."""
    s3_encryption: (
        Literal["", "AES256", "aws:kms"] | Annotated[str, Field(pattern=r"^aws:kms:.+")]
    ) = ""
    """Server-side encryption of what is stored: `AES256`, `aws:kms` or `aws:kms:KEY`."""
    broker: SecretStr | None = None
    """Address of the Redis, Valkey or RabbitMQ that carries a cluster's messages."""
    autoscaled: Annotated[tuple[str, ...], NoDecode] = ()
    """Queues that get workers as soon as they have tasks, patterns too: without a worker they
    are not blocked.
    """
    window: int = Field(default=256, ge=1, le=100_000)
    """Messages in each queue at once."""
    account_limit: int = Field(default=0, ge=0)
    """Tasks of one locator in each queue at once; 0 for any number."""
    host_limit: int = Field(default=16, ge=0)
    """Tasks that ask one server for repositories at once; 0 for any number."""
    crawl_quota: Annotated[str, AfterValidator(check_quota)] = ""
    """What one crawl may use: `tasks=N`, `stored_bytes=N`, `cpu_seconds=N`, `gpu_seconds=N`."""
    owner_quota: Annotated[str, AfterValidator(check_quota)] = ""
    """The same of all crawls of whoever asked for them, in `owner_quota_days`."""
    owner_quota_days: int = Field(default=30, ge=1, le=3660)
    """Over how many days, today among them, an owner's use counts."""
    requester: str = ""
    """Under which name it is kept what you ask for; empty for the login name."""
    resend_seconds: float = Field(default=10.0, ge=0.5)
    """After how long a message that the broker no longer holds, and nobody took, is sent again."""
    drain_seconds: float = Field(default=60.0, ge=0.0)
    """How long a worker that is told to stop lets its tasks run on."""
    task_bytes: int = Field(default=0, ge=0)
    """Memory of one task with all that it starts; then its process is ended. 0 for any."""
    workers: int = Field(default=0, ge=0, le=1024)
    """Worker processes of `crawl`; 0 means one a core."""
    targets: Annotated[tuple[str, ...], NoDecode] = ("sm_80", "gfx90a")
    """Offload archs that units are compiled for; separated by commas in the environment."""
    devices: Annotated[tuple[str, ...], NoDecode] = ()
    """Where kernels are run: `cpu`, `rocm:gfx942`, `cuda:sm_90`, `rocm`, `cuda`; nowhere by
    default.
    """
    baselines: Path | None = None
    """A file of times that kernels on GPUs are held against, a JSON object a line; else the
    first sound one of each.
    """
    instantiations: int = Field(default=3, ge=1, le=100_000)
    """How many instantiations of a kernel are run on the CPU at most, those first that are most
    unlike; what is not run says so.
    """
    instantiation_seconds: float = Field(default=600.0, ge=0.0, le=3600.0)
    """After how long no further instantiation of a kernel is begun on the CPU; 0 runs one."""
    project_tests: str = ""
    """An interpreter with a CPU build of PyTorch, in which the own tests of projects that extend
    it are run with their kernels on the CPU; other projects' tests are run without it. `native`
    runs the latter alone, empty runs none.
    """
    strength_seconds: float = Field(default=20.0, ge=0.0, le=3600.0)
    """How long mutants of a kernel are run to measure its cases; 0 measures nothing."""
    strong_branches: float = Field(default=0.9, ge=0.0, le=1.0)
    """Share of a kernel's branches that its cases take at least to be `strong`."""
    strong_mutants: float = Field(default=0.8, ge=0.0, le=1.0)
    """Share of a kernel's mutants that its cases tell at least to be `strong`."""
    lease_seconds: float = Field(default=60.0, ge=5.0)
    """How long a task stays with a worker that no longer answers."""
    task_seconds: float = Field(default=3600.0, ge=10.0)
    """The longest that one task may take."""
    attempts: int = Field(default=5, ge=1)
    """Tries of a task that fails for a passing reason."""
    download_bytes: int = Field(default=512 << 20, ge=1)
    """The largest download."""
    unpacked_bytes: int = Field(default=4 << 30, ge=1)
    """The largest repository, unpacked."""
    files: int = Field(default=200_000, ge=1)
    """Files of a repository, at most."""
    snapshot_bytes: int = Field(default=512 << 20, ge=1)
    """Bytes of text that are stored of a repository, at most."""
    github: str = "https://api.github.com"
    """Address of GitHub's REST API: its own, or `https://HOST/api/v3` of an Enterprise server."""
    github_tokens: Path | None = None
    """A file with a token a line, readable by you alone; without it GitHub answers 60 questions
    an hour.
    """
    web_secret: SecretStr | None = None
    """What the page signs its sessions with; without one they end with the server."""
    web_address: str = ""
    """Under which the page is reached from outside, where a proxy stands before it."""
    oidc_issuer: str = ""
    """Address of the OpenID Connect provider by which people may log in."""
    oidc_client: str = ""
    """Under which name the provider knows the page."""
    oidc_client_secret: SecretStr | None = None
    """The secret that it shares with the provider."""
    oidc_reviewers: Annotated[tuple[str, ...], NoDecode] = ()
    """Who is a reviewer: verified addresses, `group:NAME`, `role:NAME`, `sub:ID`."""
    oidc_operators: Annotated[tuple[str, ...], NoDecode] = ()
    """Who is an operator, in the same words."""
    completion_endpoint: str = ""
    """Address of an OpenAI-compatible API, `https://HOST/v1`, that `complete` asks; nobody is
    asked without one.
    """
    completion_key: SecretStr | None = None
    """The key that it wants, if any."""
    completion_model: str = ""
    """Under which name it knows the model."""
    completion_vetting_model: str = ""
    """The same of a second model that looks at what the first one says in words."""
    completion_temperature: float | None = Field(default=None, ge=0.0, le=2.0)
    """How freely the model writes; left to the server where it is not set."""
    completion_answer_tokens: int = Field(default=8192, ge=16)
    """Tokens of one answer, at most."""
    completion_seconds: float = Field(default=300.0, ge=0.1, le=3600.0)
    """The longest that one try of a question may take."""
    completion_tries: int = Field(default=4, ge=1, le=20)
    """Tries of a question that fails for a passing reason."""
    completion_input_price: float = Field(default=0.0, ge=0.0)
    """Of a million tokens that are sent, in the currency of `completion_money`."""
    completion_output_price: float = Field(default=0.0, ge=0.0)
    """Of a million tokens that are answered."""
    completion_vetting_input_price: float | None = Field(default=None, ge=0.0)
    """The same of the second model; as that of the first where it is not set."""
    completion_vetting_output_price: float | None = Field(default=None, ge=0.0)
    """The same of what the second model answers."""
    completion_tokens: int = Field(default=1_000_000, ge=0)
    """Tokens that one run of `complete` may spend; 0 for any number."""
    completion_money: float = Field(default=0.0, ge=0.0)
    """What one run of `complete` may cost; 0 for any amount."""
    reviewer: str = ""
    """Under which name reviews are kept; empty for the login name."""
    optouts: Path | None = None
    """A file that says whose work is left out, one a line."""
    libraries: Annotated[tuple[Path, ...], NoDecode] = ()
    """Folders with header libraries, looked into before the usual ones; separated by colons."""
    sandbox: str = DEFAULT_SANDBOX
    """What isolates strangers' code: `bubblewrap`, `container`, `gvisor`, or where none of
    them can work `landlock`.
    """
    unsandboxed_parsing: bool = False
    """Whether sources are parsed and compiled where the sandbox does not work. A hostile one may
    then bring any file that the process can read into what is stored and exported.
    """
    submodules: bool = False
    """Whether a repository's submodules are brought too; otherwise they are only recorded."""
    dependency_hosts: Annotated[tuple[str, ...], NoDecode] = (
        "github.com",
        "gitlab.com",
        "bitbucket.org",
        "codeberg.org",
    )
    """Hosts that are asked for the headers which device code includes of repositories that its
    project declares; separated by commas, none to ask nobody.
    """
    debian_headers: bool = False
    """Whether Debian's packages are asked for headers that no such repository has: by apt-file
    and apt, which need network and install nothing.
    """
    free_bytes: int = Field(default=256 << 20, ge=0)
    """Room that must be free under `home` before a task starts."""

    @field_validator(
        *("targets", "devices", "autoscaled", "dependency_hosts"),
        *("oidc_reviewers", "oidc_operators"),
        mode="before",
    )
    @classmethod
    def _split_at_commas(cls, value: object) -> object:
        # flags and the environment have strings only, a file may have a list
        if not isinstance(value, str):
            return value
        parts = [part.strip() for part in value.split(",")]
        return tuple(part for part in parts if part)

    @field_validator("sandbox")
    @classmethod
    def _check_sandbox(cls, value: str) -> str:
        names = list_sandboxes()
        if value not in names:
            raise ValueError(f"there is none of that name, but {', '.join(names)}")
        return value

    @field_validator("libraries", mode="before")
    @classmethod
    def _split_folders(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        from crawler.libraries.discovery import split_folders

        return split_folders(value)

    @field_validator(
        *("database", "broker"),
        "web_secret",
        "oidc_client_secret",
        "completion_key",
        "completion_temperature",
        "completion_vetting_input_price",
        "completion_vetting_output_price",
        "github_tokens",
        "optouts",
        "baselines",
        mode="before",
    )
    @classmethod
    def _empty_to_none(cls, value: object) -> object:
        # `settings_environment` writes `None` as an empty string
        return value if isinstance(value, float | int) else value or None

    @field_validator("home", "github_tokens", "optouts", "baselines", mode="after")
    @classmethod
    def _make_absolute(cls, value: Path | None) -> Path | None:
        # processes of a crawl may work in other folders
        return value.expanduser().absolute() if value else None

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Take what `load_settings` merged, and read no other source."""
        return (init_settings,)

    def strength_thresholds(self) -> StrengthThresholds:
        """Return the shares from which on cases are `strong`."""
        from crawler.validate.strength.strength_class import StrengthThresholds

        return StrengthThresholds(
            branches=self.strong_branches, mutants=self.strong_mutants
        )

    def terms(self) -> SourceOptions:
        """Return the limits, credentials and opt-outs of a visit to a source."""
        from crawler.optouts import read_optouts
        from crawler.sources.options import Limits, SourceOptions

        limits = Limits(
            download_bytes=self.download_bytes,
            unpacked_bytes=self.unpacked_bytes,
            files=self.files,
        )
        return SourceOptions(
            limits=limits,
            github=self.github,
            github_tokens=self.github_tokens,
            optouts=read_optouts(self.optouts),
            submodules=self.submodules,
            dependency_hosts=self.dependency_hosts,
            debian_headers=self.debian_headers,
        )
