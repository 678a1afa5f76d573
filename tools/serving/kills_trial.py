"""SIGKILL under load: every answered write is there, and nothing is doubled.

Eight clients append events with idempotency keys and record a habit as done, in turn. The service
is killed at a random moment and started again. Each client then repeats the appends that were not
answered. A record without an answer may be there or not, and is not repeated.
"""

import http.client
import json
import random
import threading
import time
import uuid

from serving import program

CLIENTS = 8
# How the key of a record begins.
DONE = "done-"


class Client(threading.Thread):
    """Sends writes one after the other, until the service is gone."""

    def __init__(self, service, habit, unanswered):
        super().__init__(daemon=True)
        self.service, self.habit = service, habit
        # The keys whose requests were not answered, to send first.
        self.keys = list(unanswered)
        self.unanswered, self.answered = [], {}
        # The answers that are neither a success nor a cut.
        self.refusals = []

    def run(self):
        connection = self.service.connect()
        while not self.refusals:
            key = self.keys.pop() if self.keys else uuid.uuid4().hex
            for key, send in ((key, self.append), (DONE + key, self.record)):
                try:
                    send(connection, key)
                except (OSError, http.client.HTTPException):
                    self.unanswered = [key, *self.keys]
                    return

    def append(self, connection, key):
        """Appends one event that holds the key."""
        body = {"type": "entry.recorded", "habit": self.habit, "date": "2026-11-23",
                "kind": "amount", "value": 1000, "note": key}
        answer = self.send(connection, "/v1/events", body, **{"Idempotency-Key": key})
        if answer:
            self.answered[key] = answer["first"]["id"]

    def record(self, connection, key):
        """Records the habit as done, with the key as the note."""
        body = {"date": "2026-11-23", "amount": 1000, "note": key}
        answer = self.send(connection, f"/v1/habits/{self.habit}/done", body)
        if answer:
            self.answered[key] = answer["events"][-1]["id"]

    def send(self, connection, path, body, **fields):
        """Posts a body, and returns the answer; None for a refusal."""
        status, text = self.service.ask("POST", path, json.dumps(body), connection, **fields)
        if status in (200, 201):
            return json.loads(text)
        self.refusals.append(f"{path}: {status} {text}")
        return None


def round_of_load(service, habit, unanswered):
    """Sends writes and kills the service; returns what was answered, what not, and refusals."""
    shares = [unanswered[index::CLIENTS] for index in range(CLIENTS)]
    clients = [Client(service, habit, share) for share in shares]
    for client in clients:
        client.start()
    time.sleep(random.uniform(0.02, 0.4))
    service.kill()
    for client in clients:
        client.join(program.PATIENCE)
    answered = {}
    for client in clients:
        answered.update(client.answered)
    return (answered, [key for client in clients for key in client.unanswered],
            [refusal for client in clients for refusal in client.refusals])


def problems(service, answered, sent):
    """Compares the log with the answers."""
    status, text = service.ask("GET", "/v1/events")
    if status != 200:
        return [f"the log cannot be listed: {status} {text}"]
    found = {}
    for line in text.splitlines():
        event = json.loads(line)
        note = event.get("payload", event).get("note")
        if note:
            found.setdefault(note, []).append(event["id"])
    lost = [key for key, event in answered.items() if event not in found.get(key, [])]
    doubled = [key for key, events in found.items() if len(events) > 1]
    unknown = [key for key in found if key not in sent]
    return ([f"an answered write is missing: {key}" for key in lost]
            + [f"a write is there twice: {key}" for key in doubled]
            + [f"a write that no client sent: {key}" for key in unknown])


def run(programs, times):
    times = times or 50
    answered, unanswered, sent, findings = {}, [], set(), []
    with program.store(programs) as environment:
        habit = program.run(programs, environment, "habit", "add", "Walk")["habit"]
        for _ in range(times):
            with program.Service(programs, environment) as service:
                more, unanswered, refusals = round_of_load(service, habit, unanswered)
            answered.update(more)
            sent.update(more, unanswered)
            # An append may be repeated with its key, a record may not.
            unanswered = [key for key in unanswered if not key.startswith(DONE)]
            findings += refusals
            with program.Service(programs, environment) as service:
                findings += problems(service, answered, sent)
            if findings:
                break
        program.run(programs, environment, "verify")
    records = sum(key.startswith(DONE) for key in answered)
    print(f"{times} kills, {len(answered)} answered writes, {records} of them records, "
          f"{len(findings)} findings")
    return findings
