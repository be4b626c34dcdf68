"""The groups of verbs, such as `kernelset config`."""

from __future__ import annotations

from typing import Final

from workers.cli.verbs import Group, Verb

GROUPS: Final = (
    Group(
        "import",
        "Results of other programs, for the view `debug`.",
        (
            Verb(
                "tritonbench",
                "kernels.import_:tritonbench",
                (
                    "kernelset import tritonbench results.jsonl",
                    "kernelset import tritonbench results.jsonl --memory results_mem.json"
                    " --name first",
                ),
            ),
        ),
    ),
    Group(
        "token",
        "Who may log in to the page.",
        (
            Verb(
                "add",
                "operations.token:add",
                (
                    "kernelset token add ada --role reviewer",
                    "kernelset token add ola --role operator --days 7",
                ),
            ),
            Verb("list", "operations.token:list_tokens", ("kernelset token list",)),
            Verb("revoke", "operations.token:revoke", ("kernelset token revoke ada",)),
        ),
    ),
    Group(
        "review",
        "What people say of kernels.",
        (
            Verb(
                "next",
                "reviews.review:next_kernel",
                (
                    "kernelset review next",
                    "kernelset review next 'pass_exe.cpu = pass' --reviewer ada --json",
                ),
            ),
            Verb(
                "show",
                "reviews.review:show",
                ("kernelset review show 3f2a --reviewer ada",),
            ),
            Verb(
                "accept",
                "reviews.give_verdict:accept",
                ("kernelset review accept 3f2a --met all",),
            ),
            Verb(
                "reject",
                "reviews.give_verdict:reject",
                (
                    "kernelset review reject 3f2a --unmet tests-cover"
                    " --comment 'tests:12:never fails'",
                ),
            ),
            Verb(
                "needs-work",
                "reviews.give_verdict:needs_work",
                (
                    "kernelset review needs-work 3f2a --note 'the prompt does not say what n is'",
                ),
            ),
            Verb(
                "list",
                "reviews.list_reviews:list_reviews",
                (
                    "kernelset review list",
                    "kernelset review list --state disputed --json",
                ),
            ),
            Verb(
                "agreement",
                "reviews.list_reviews:agreement",
                ("kernelset review agreement",),
            ),
            Verb(
                "export",
                "reviews.exchange:export_reviews",
                (
                    "kernelset review export reviews.jsonl",
                    "kernelset review export to-label.jsonl 'review = unreviewed' --form argilla",
                ),
            ),
            Verb(
                "import",
                "reviews.exchange:import_reviews",
                ("kernelset review import labelled.json --form label-studio",),
            ),
        ),
    ),
    Group(
        "config",
        "What is set, and where it was set.",
        (Verb("show", "operations.config:show", ("kernelset config show",)),),
    ),
    Group(
        "bundle",
        "Kernels carried to a bare machine with a GPU.",
        (
            Verb(
                "write",
                "files.bundle:write",
                (
                    "kernelset bundle write away out/*.hip --target gfx942",
                    "kernelset bundle write away saxpy.cu --target gfx1100 --time",
                ),
            ),
            Verb(
                "judge",
                "files.bundle:judge",
                (
                    "kernelset bundle judge away results",
                    "kernelset bundle judge away results --json",
                ),
            ),
        ),
    ),
    Group(
        "storage",
        "What is kept.",
        (
            Verb(
                "verify",
                "operations.storage:verify",
                (
                    "kernelset storage verify",
                    "kernelset storage verify --sample 0.01 --json",
                ),
            ),
            Verb(
                "gc",
                "operations.storage:gc",
                (
                    "kernelset storage gc --dry-run",
                    "kernelset storage gc --grace 48",
                ),
            ),
            Verb(
                "expire",
                "operations.storage:expire",
                (
                    "kernelset storage expire",
                    "kernelset storage expire --days 30 --yes",
                ),
            ),
            Verb(
                "migrate",
                "operations.storage:migrate",
                (
                    "kernelset storage migrate",
                    "kernelset storage migrate --from ~/.kernelset",
                ),
            ),
        ),
    ),
    Group(
        "db",
        "The database.",
        (Verb("upgrade", "operations.db:upgrade", ("kernelset db upgrade",)),),
    ),
)
