"""Lambdas count only where the pass that a kernel comes from has them."""

from __future__ import annotations

from crawler.extract.passes.lambda_instantiations import drop_unknown_lambdas
from crawler.model import Instantiation


def make(*arguments: str) -> Instantiation:
    return Instantiation(arguments=arguments, label="_".join(arguments))


def test_what_names_an_unknown_lambda_is_dropped() -> None:
    plain, known_lambda, unknown, nested = (
        make("float"),
        make("lib::run_lambda_1"),
        make("3", "lib::run_lambda_2"),
        make("lib::Each<run_lambda_2, int>"),
    )
    everything = (plain, known_lambda, unknown, nested)
    assert drop_unknown_lambdas(everything, {"run_lambda_2"}) == (plain, known_lambda)
    assert drop_unknown_lambdas(everything, ()) == everything
