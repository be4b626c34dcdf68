"""The verbs of `kernelset review`."""

from __future__ import annotations

from typing import Final

from workers.cli.command_groups import add_command, make_group
from workers.cli.reviews import exchange, give_verdict, list_reviews, review

REVIEW_GROUP: Final = make_group("What people say of kernels.")
add_command(
    REVIEW_GROUP,
    "next",
    review.next_kernel,
    "kernelset review next",
    "kernelset review next 'pass_exe.cpu = pass' --reviewer ada --json",
)
add_command(
    REVIEW_GROUP, "show", review.show, "kernelset review show 3f2a --reviewer ada"
)
add_command(
    REVIEW_GROUP,
    "accept",
    give_verdict.accept,
    "kernelset review accept 3f2a --met all",
)
add_command(
    REVIEW_GROUP,
    "reject",
    give_verdict.reject,
    "kernelset review reject 3f2a --unmet tests-cover --comment 'tests:12:never fails'",
)
add_command(
    REVIEW_GROUP,
    "needs-work",
    give_verdict.needs_work,
    "kernelset review needs-work 3f2a --note 'the prompt does not say what n is'",
)
add_command(
    REVIEW_GROUP,
    "list",
    list_reviews.list_reviews,
    "kernelset review list",
    "kernelset review list --state disputed --json",
)
add_command(
    REVIEW_GROUP, "agreement", list_reviews.agreement, "kernelset review agreement"
)
add_command(
    REVIEW_GROUP,
    "export",
    exchange.export_reviews,
    "kernelset review export reviews.jsonl",
    "kernelset review export to-label.jsonl 'review = unreviewed' --form argilla",
)
add_command(
    REVIEW_GROUP,
    "import",
    exchange.import_reviews,
    "kernelset review import labelled.json --form label-studio",
)
