"""The Typer app: all commands with their examples; each loads what it needs only when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workers.cli.command_groups import add_command, make_group
from workers.cli.crawls import (
    cancel,
    crawl,
    crawls,
    enqueue,
    failures,
    pause,
    refresh,
    repositories,
    resume,
    retry,
    status,
)
from workers.cli.exports import export, views
from workers.cli.files import bundle, compile_db, extract, port, test, validate
from workers.cli.kernels import (
    complete,
    import_,
    judge,
    query,
    show,
)
from workers.cli.operations import (
    config,
    db,
    dispatch,
    doctor,
    purge,
    storage,
    token,
    web,
    worker,
)
from workers.cli.options import VersionOption
from workers.cli.reviews.review_group import REVIEW_GROUP

app = typer.Typer(
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)


@app.callback()
def kernelset(
    context: typer.Context,
    home: Annotated[
        Path | None,
        typer.Option(
            help="Where all state lives (default ~/.kernelset, or KERNELSET_HOME)."
        ),
    ] = None,
    _: VersionOption = False,
) -> None:
    """Turn public source code into a dataset of GPU kernels that are proven to build.

    Results go to standard output, progress and logs to standard error. Exit codes: 0 done, 1
    some task failed, 2 usage or configuration, 3 a bug, 4 nothing matched, 130 interrupted.
    """
    context.obj = {"home": home}


add_command(
    app,
    "crawl",
    crawl.crawl,
    "kernelset crawl pypi:mmcv==2.2.0",
    "kernelset crawl ./my/project --targets gfx90a",
    "kernelset crawl git+https://example.org/team/kernels.git@v1.2 --dry-run",
)
add_command(
    app,
    "query",
    query.query,
    "kernelset query",
    "kernelset query 'repo=mmcv and found_by=ast' --limit 20",
    "kernelset query --json | head -1",
)
add_command(
    app,
    "show",
    show.show,
    "kernelset show roi_align_forward_cuda_kernel",
    "kernelset show 3f2a --depth full --json",
)
add_command(
    app,
    "failures",
    failures.failures,
    "kernelset failures",
    "kernelset failures --json",
)
add_command(
    app,
    "status",
    status.status,
    "kernelset status",
    "kernelset status --crawl 06646e6b3514 --watch",
)
add_command(app, "crawls", crawls.crawls, "kernelset crawls", "kernelset crawls --json")
add_command(app, "purge", purge.purge, "kernelset purge --dry-run", "kernelset purge")
add_command(app, "refresh", refresh.refresh, "kernelset refresh")
add_command(
    app,
    "repositories",
    repositories.repositories,
    "kernelset repositories ROCm",
    "kernelset repositories --state vanished --json",
)
add_command(
    app, "retry", retry.retry, "kernelset retry", "kernelset retry --code network-down"
)
add_command(
    app, "views", views.views, "kernelset views", "kernelset views pairs > pairs.json"
)
add_command(
    app,
    "export",
    export.export,
    "kernelset export kernels kernels.jsonl",
    "kernelset export pairs pairs.parquet",
    "kernelset export kernels ./kernels --format tree --licence any",
    "kernelset export kernels kernels.jsonl --depth pure",
    "kernelset export debug debug_workspace --format folder --imported results",
)
add_command(
    app,
    "judge",
    judge.judge,
    "kernelset judge answers.jsonl",
    "kernelset judge answers.jsonl --pass-at 1,5 --json",
    "kernelset judge candidates --tests tests --results judged.jsonl",
)

add_command(
    app,
    "complete",
    complete.complete,
    "kernelset complete repair --dry-run",
    "kernelset complete repair 'repo=mmcv' --attempts 5 --tokens 200000",
)

_import_group = make_group("Results of other programs, for the view `debug`.")
add_command(
    _import_group,
    "tritonbench",
    import_.tritonbench,
    "kernelset import tritonbench results.jsonl",
    "kernelset import tritonbench results.jsonl --memory results_mem.json --name first",
)
app.add_typer(_import_group, name="import")

add_command(
    app,
    "extract",
    extract.extract,
    "kernelset extract --input-file src/a.cu --compile-db build --output-dir out",
    "kernelset extract --input-file src/a.cuh --output-dir out --with-headers",
    "kernelset extract --input-file src/a.cu --output-dir out --depth pure",
)
add_command(
    app,
    "compile-db",
    compile_db.compile_db,
    "kernelset compile-db . --output build",
    "kernelset compile-db . --explain",
    "kernelset compile-db . --explain src/a.cuh",
    "kernelset compile-db . --strategy existing src/a.cu",
)
add_command(
    app,
    "port",
    port.port,
    "kernelset port kernel.cu > kernel.hip",
    "kernelset port kernel.cu --diff",
    "kernelset port ./project --output ./project-hip",
)
add_command(
    app,
    "validate",
    validate.validate,
    "kernelset validate out/saxpy_kernel/saxpy_kernel.cu --targets sm_80",
    "kernelset validate out/saxpy_kernel/saxpy_kernel.cu --device cpu",
)
add_command(
    app,
    "enqueue",
    enqueue.enqueue,
    "kernelset enqueue pypi:mmcv==2.2.0",
    "kernelset enqueue pypi:mmcv --wait",
)
add_command(
    app,
    "worker",
    worker.worker,
    "kernelset worker",
    "kernelset worker --queues 'extract,validate.*'",
)
add_command(
    app,
    "dispatch",
    dispatch.dispatch,
    "kernelset dispatch",
    "kernelset dispatch --metrics-port 9464",
)
add_command(
    app,
    "test",
    test.run_tests,
    "kernelset test ./my/project",
    "kernelset test pypi:torch_scatter==2.1.2 --python ~/torch/bin/python --json",
)
add_command(
    app, "web", web.web, "kernelset web", "kernelset web --host 0.0.0.0 --port 8080"
)
_token_group = make_group("Who may log in to the page.")
add_command(
    _token_group,
    "add",
    token.add,
    "kernelset token add ada --role reviewer",
    "kernelset token add ola --role operator --days 7",
)
add_command(_token_group, "list", token.list_tokens, "kernelset token list")
add_command(_token_group, "revoke", token.revoke, "kernelset token revoke ada")
app.add_typer(_token_group, name="token")
add_command(app, "pause", pause.pause, "kernelset pause 06646e6b3514")
add_command(app, "resume", resume.resume, "kernelset resume 06646e6b3514")
add_command(app, "cancel", cancel.cancel, "kernelset cancel 06646e6b3514")
add_command(
    app,
    "doctor",
    doctor.doctor,
    "kernelset doctor",
    "kernelset doctor --without sandbox --json",
)

app.add_typer(REVIEW_GROUP, name="review")

_config_group = make_group("What is set, and where it was set.")
add_command(_config_group, "show", config.show, "kernelset config show")
app.add_typer(_config_group, name="config")

_bundle_group = make_group("Kernels carried to a bare machine with a GPU.")
add_command(
    _bundle_group,
    "write",
    bundle.write,
    "kernelset bundle write away out/*.hip --target gfx942",
    "kernelset bundle write away saxpy.cu --target gfx1100 --time",
)
add_command(
    _bundle_group,
    "judge",
    bundle.judge,
    "kernelset bundle judge away results",
    "kernelset bundle judge away results --json",
)
app.add_typer(_bundle_group, name="bundle")

_storage_group = make_group("What is kept.")
add_command(
    _storage_group,
    "verify",
    storage.verify,
    "kernelset storage verify",
    "kernelset storage verify --sample 0.01 --json",
)
add_command(
    _storage_group,
    "gc",
    storage.gc,
    "kernelset storage gc --dry-run",
    "kernelset storage gc --grace 48",
)
add_command(
    _storage_group,
    "migrate",
    storage.migrate,
    "kernelset storage migrate",
    "kernelset storage migrate --from ~/.kernelset",
)
app.add_typer(_storage_group, name="storage")

_db_group = make_group("The database.")
add_command(_db_group, "upgrade", db.upgrade, "kernelset db upgrade")
app.add_typer(_db_group, name="db")
