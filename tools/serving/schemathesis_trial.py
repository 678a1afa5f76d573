"""Requests made from the service's OpenAPI document, by schemathesis.

All operations are tried: of a stream, the first events. All checks are made, and only these answers
to a request that the document allows are no finding, since the document cannot say it:

- 422: a value contradicts another one or the store, such as a last date before the first.
- 400 of the operations in CONFIGURATION: members of their bodies exclude each other.
"""

import os
import pathlib
import shutil
import subprocess

from serving import program

CONFIGURATION = """
max-stream-events = 3

[checks]
enabled = true

[checks.positive_data_acceptance]
expected-statuses = ["2xx", "3xx", "401", "403", "404", "409", "413", "422", "429"]

[[operations]]
include-operation-id = ["skip", "snooze", "recordReceipt", "setAlerts"]
checks.positive_data_acceptance.enabled = false
"""


def run(programs, times):
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    own = root / ".build-tests" / "schemathesis" / "bin"
    tool = shutil.which("schemathesis", path=f"{own}{os.pathsep}{os.environ.get('PATH', '')}")
    if not tool:
        raise SystemExit("schemathesis is not installed: tools/prepare --tests")
    with program.store(programs) as environment:
        program.run(programs, environment, "habit", "add", "Walk", "--at", "17:00")
        # Requests without a credential are made on purpose, as fast as possible.
        limits = ["--max-failures", "1000000", "--max-requests", "1000000"]
        with program.Service(programs, environment, *limits) as service:
            directory = pathlib.Path(environment["TMPDIR"])
            (directory / "schemathesis.toml").write_text(CONFIGURATION, encoding="utf-8")
            url = f"http://127.0.0.1:{service.port}/openapi.json"
            ended = subprocess.run(
                [tool, "run", url, "--header", f"Authorization: Bearer {service.token}",
                 "--max-examples", str(times or 50), "--no-color",
                 "--request-timeout", "20",
                 "--generation-database", "none"],
                cwd=directory, check=False,
                env={**os.environ, "PYTHONPATH": str(root / "tools"),
                     "SCHEMATHESIS_HOOKS": "serving.schemathesis_hooks"})
            status, _ = service.ask("GET", "/livez")
    findings = [] if ended.returncode == 0 else ["see what schemathesis printed"]
    return findings if status == 200 else [*findings, "the service no longer answers"]
