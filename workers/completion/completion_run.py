"""Ask the model that the settings name about what a store leaves open."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from crawler.completion.attempt_book import AttemptBook
from crawler.completion.attempt_loop import AttemptLoop, LoopOptions
from crawler.completion.budget import Budget, Prices
from crawler.completion.chat import ChatParameters
from crawler.completion.endpoint import RUN_ENDING_CODES, Endpoint, EndpointOptions
from crawler.completion.kept_chat import KeptChat
from crawler.completion.prompt_files import Prompts
from crawler.completion.purpose import CheckTools, Purpose, Subject
from crawler.errors import Misconfigured
from crawler.judging.judge_program import JudgeOptions
from crawler.model import CompletionAttempt
from crawler.optouts import OptOuts
from crawler.plugins import load_plugins
from storage.open import Storage
from workers.config.settings import Settings

_MAX_FAILURES: Final = 3
"""Kernels one after the other for which the endpoint fails: then it is down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownAttempt:
    """An attempt, and whether it was made now."""

    attempt: CompletionAttempt
    is_new: bool


def require_model(settings: Settings) -> None:
    """Raise `Misconfigured` where the settings name no model."""
    missing = [
        name
        for name in ("completion_endpoint", "completion_model")
        if not getattr(settings, name)
    ]
    if missing:
        names = " and ".join(f"`{name}`" for name in missing)
        variables = ", ".join(f"KERNELSET_{name.upper()}" for name in missing)
        raise Misconfigured(
            f"no model is asked, since {names} is not set: set {variables}, such as "
            "https://HOST/v1 and a name that the server knows, and KERNELSET_COMPLETION_KEY "
            "where it wants a key",
            code="no-model",
        )


def list_purposes() -> tuple[Purpose[Any], ...]:
    """Return what a model can be asked for."""
    # each is of subjects of its own
    return load_plugins("workers.completion.purposes", Purpose[Any])


def choose_purpose(name: str) -> Purpose[Any]:
    """Return the purpose of that name; raises `Misconfigured` where there is none."""
    purposes = {purpose.name: purpose for purpose in list_purposes()}
    if name not in purposes:
        raise Misconfigured(
            f"nothing is completed for {name}: give {' or '.join(purposes)}",
            code="bad-purpose",
        )
    return purposes[name]


def find_subjects(
    purpose: Purpose[Any],
    storage: Storage,
    expression: str,
    targets: Collection[str],
    optouts: OptOuts,
) -> Iterator[Subject]:
    """Yield what is asked of the matching kernels, but for those whose authors asked for
    exclusion: a source of theirs is sent to nobody.
    """
    for record in storage.index.records(expression):
        unit = record.kernel.unit
        repo = record.provenance.repo
        if unit is None or optouts.covers_repository(repo):
            continue
        if not optouts.covers_unit(unit.digest):
            yield from purpose.find_subjects(record, targets, storage.blobs.get)


class CompletionRun:
    """Asks, within a budget of its own, until everything is tried or the endpoint is down."""

    def __init__(
        self,
        purpose: Purpose[Any],
        settings: Settings,
        book: AttemptBook,
        prompts: Prompts,
        judge: JudgeOptions,
        *,
        attempts: int,
    ) -> None:
        require_model(settings)
        self.budget = Budget(
            tokens=settings.completion_tokens,
            money=settings.completion_money,
            prices=_read_prices(settings),
            prices_by_model=_read_vetting_prices(settings),
        )
        self.chat = KeptChat(_open_endpoint(settings), self.budget, book)
        parameters = ChatParameters(
            max_tokens=settings.completion_answer_tokens,
            temperature=settings.completion_temperature,
        )
        tools = CheckTools(
            chat=self.chat,
            prompts=prompts,
            parameters=parameters,
            judge=judge,
            vetting_model=settings.completion_vetting_model,
        )
        options = LoopOptions(
            model=settings.completion_model, parameters=parameters, attempts=attempts
        )
        self._loop = AttemptLoop(purpose, tools, book, options)

    def run(self, subjects: Iterable[Subject]) -> Iterator[ShownAttempt]:
        """Yield the attempts at each subject, those of earlier runs first.

        Ends early where the endpoint is down, as the last attempts say. Raises `BudgetSpent`.
        """
        failures = 0
        for subject in subjects:
            for attempt in self._loop.list_attempts(subject):
                yield ShownAttempt(attempt=attempt, is_new=False)

            code = ""
            for attempt in self._loop.run(subject):
                yield ShownAttempt(attempt=attempt, is_new=True)
                code = attempt.code

            failures = failures + 1 if code else 0
            if code in RUN_ENDING_CODES or failures >= _MAX_FAILURES:
                return


def _open_endpoint(settings: Settings) -> Endpoint:
    key = settings.completion_key
    return Endpoint(
        EndpointOptions(
            address=settings.completion_endpoint,
            key=key.get_secret_value().strip() if key else "",
            seconds=settings.completion_seconds,
            tries=settings.completion_tries,
        )
    )


def _read_prices(settings: Settings) -> Prices:
    prices = Prices(
        input=settings.completion_input_price, output=settings.completion_output_price
    )
    second = _read_vetting_prices(settings).values()
    is_priced = any(price.input or price.output for price in (prices, *second))
    if settings.completion_money and not is_priced:
        raise Misconfigured(
            "`completion_money` is a limit, and nobody says what a token costs: set "
            "`completion_input_price` and `completion_output_price`, of a million tokens",
            code="no-prices",
        )
    return prices


def _read_vetting_prices(settings: Settings) -> dict[str, Prices]:
    """Return the prices of the second model by its name, where it is another than the first."""
    model = settings.completion_vetting_model
    if not model or model == settings.completion_model:
        return {}

    own_input = settings.completion_vetting_input_price
    own_output = settings.completion_vetting_output_price
    if own_input is None:
        own_input = settings.completion_input_price
    if own_output is None:
        own_output = settings.completion_output_price
    return {model: Prices(input=own_input, output=own_output)}
