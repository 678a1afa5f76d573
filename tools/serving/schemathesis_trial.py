"""Requests made from the service's OpenAPI document, by schemathesis."""

import shutil
import subprocess

from serving import program


def run(programs, times):
    tool = shutil.which("schemathesis")
    if not tool:
        raise SystemExit("schemathesis is not installed: pip install schemathesis")
    with program.store(programs) as environment:
        program.run(programs, environment, "habit", "add", "Walk", "--at", "17:00")
        with program.Service(programs, environment) as service:
            url = f"http://127.0.0.1:{service.port}/openapi.json"
            ended = subprocess.run(
                [tool, "run", url, "--header", f"Authorization: Bearer {service.token}",
                 "--max-examples", str(times or 50), "--checks", "all", "--no-color",
                 # The stream of what is live has no end.
                 "--exclude-path", "/v1/live",
                 # A session is a second way in, and answers a wrong token by itself.
                 "--exclude-path", "/v1/session", "--request-timeout", "20",
                 "--generation-database", "none"],
                cwd=environment["TMPDIR"], check=False)
            status, _ = service.ask("GET", "/livez")
    findings = [] if ended.returncode == 0 else ["see what schemathesis printed"]
    return findings if status == 200 else [*findings, "the service no longer answers"]
