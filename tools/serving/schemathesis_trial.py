"""Requests made from the service's OpenAPI document, by schemathesis."""

import os
import pathlib
import shutil
import subprocess

from serving import program


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
            url = f"http://127.0.0.1:{service.port}/openapi.json"
            ended = subprocess.run(
                [tool, "run", url, "--header", f"Authorization: Bearer {service.token}",
                 "--max-examples", str(times or 50), "--checks", "all", "--no-color",
                 # What the fields of a body require of each other is not in the document.
                 "--exclude-checks", "positive_data_acceptance",
                 # The batch of events is lines of JSON, which schemathesis cannot make.
                 "--exclude-operation-id", "appendEvents",
                 # The stream of what is live has no end.
                 "--exclude-path", "/v1/live",
                 # A session is a second way in, and answers a wrong token by itself.
                 "--exclude-path", "/v1/session", "--request-timeout", "20",
                 "--generation-database", "none"],
                cwd=environment["TMPDIR"], check=False)
            status, _ = service.ask("GET", "/livez")
    findings = [] if ended.returncode == 0 else ["see what schemathesis printed"]
    return findings if status == 200 else [*findings, "the service no longer answers"]
