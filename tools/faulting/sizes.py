"""sizes: a store has a million events, 10,000 habits, 100,000 schedules, 10,000 heads, 10,000 forks
or 5,000 erasures.

Each try fills a store with one of these and runs the verbs that read and write all of it. They must
end within --limit; what they took must be there, in a clone and a restored backup too, with the
same state digest, which is printed; and they must report what they leave out, beyond the limit of
heads. Six tries take minutes, so tools/torture leaves this out."""

import base64
import importlib.machinery
import importlib.util
import json
import pathlib
import random as chance
import uuid

from faulting.running import Finding, judge
from faulting.verbs import ids

COUNT = 6
NEEDS_PRELOAD = False

REPLICA = pathlib.Path(__file__).resolve().parent.parent / "python-replica"
SIZES = {
    "events": 1_000_000, "habits": 10_000, "schedules": 100_000, "heads": 10_000, "forks": 10_000,
    "erasures": 5_000}
SCHEDULES_OF_HABIT = 10
# 2026-11-20 in milliseconds, and 2000-01-01 in days.
TIME, DAY = 1_795_132_800_000, 10_957
COPIES = ("copy", "restored")
AFTER = (
    ("status",), ("pending",), ("habit", "list"), ("done", "Walk"), ("verify",),
    ("rebuild", "--check"), ("sync", "{phone}", "{watch}"))


class Campaign:
    def __init__(self, place, _):
        self.place = place
        loader = importlib.machinery.SourceFileLoader("python_replica", str(REPLICA))
        self.replica = importlib.util.module_from_spec(
            importlib.util.spec_from_loader(loader.name, loader))
        loader.exec_module(self.replica)

    def tries(self, random, count):
        return [f"{list(SIZES)[index % len(SIZES)]}:{random.randrange(10**9)}"
                for index in range(count)]

    def attempt(self, name):
        what, seed = name.split(":")
        self.place.restore()
        # A log has at most 1,984 heads: verbs leave the rest out, and exit with 1.
        status = 1 if what in ("heads", "forks") else 0
        answer = self.fill(what, SIZES[what], chance.Random(int(seed)))
        findings = expect(answer, status)
        promised = self.place.held["phone"] | ids(answer.output)
        for words in AFTER:
            findings += self.place.succeeds(words, "phone")
        return findings + self.place.examine("phone", promised) + self.copies(what, status)

    def copies(self, what, status):
        """Expects a clone and a restored backup to be equal to the store after their syncs."""
        clone = self.place.run("clone", "{phone}", "{copy}", "--replica", "copy", store="copy")
        findings = expect(clone, status)
        findings += self.place.succeeds(("backup", "{full}"), "phone")
        findings += self.place.succeeds(("restore", "{full}", "{restored}"), "restored")
        for other in COPIES * 2:
            findings += expect(self.place.run("sync", "{phone}", "{%s}" % other), status)
        states = [self.place.state(store) for store in ("phone", *COPIES)]
        if states.count(states[0]) == len(states):
            print(f"{what}: the store, its clone and its restored backup have the state digest "
                  + states[0][0], flush=True)
        elif status == 0:
            findings.append(Finding("diverged", f"with {what}: {states}"))
        return findings

    def fill(self, what, count, random):
        """Adds what the try is about, and returns the answer of the verb that added it."""
        if what in ("heads", "forks", "erasures"):
            events = getattr(self, what)(count, random)
            self.place.path("events.ndjson").write_text("".join(map(line, events)))
            return self.place.run("import", "--format", "events", "{events.ndjson}")
        return self.place.run(
            "append", input_text="".join(getattr(self, "lines_of_" + what)(count, random)))

    def lines_of_events(self, count, random):
        habits = [str(identifier(random)) for _ in range(100)]
        yield from map(habit_line, habits)
        for index in range(count - len(habits)):
            yield json.dumps({
                "type": "entry.recorded", "habit": habits[index % len(habits)],
                "date": self.date(index // len(habits))}) + "\n"

    def lines_of_habits(self, count, random):
        return (habit_line(str(identifier(random))) for _ in range(count))

    def lines_of_schedules(self, count, random):
        for _ in range(count // SCHEDULES_OF_HABIT):
            habit = str(identifier(random))
            yield habit_line(habit)
            for index in range(SCHEDULES_OF_HABIT):
                yield json.dumps({
                    "type": "schedule.set", "habit": habit, "schedule": str(identifier(random)),
                    "rule": {"weekly": ["mon", "thu"]}, "times": [f"{6 + index:02}:30"]}) + "\n"

    @staticmethod
    def date(index):
        year, rest = divmod(index, 336)
        return f"{2000 + year % 100:04}-{rest // 28 + 1:02}-{rest % 28 + 1:02}"

    def heads(self, count, random):
        """One event each of many replicas."""
        return [self.event(identifier(random).bytes, [], index) for index in range(count)]

    def forks(self, count, random):
        """Many first events of one replica."""
        replica = identifier(random).bytes
        return [self.event(replica, [], index) for index in range(count)]

    def erasures(self, count, random):
        """Habits with an entry, and then the erasure of each."""
        replica, events, r = identifier(random).bytes, [], self.replica
        habits = [identifier(random).bytes for _ in range(count)]
        for habit in habits:
            created = r.nested(1, r.field(1, habit) + r.field(2, b"A title to be erased"))
            for payload in (created, entry(r, habit, 0)):
                events.append(self.event(replica, events, len(events), payload))
        for habit in habits:
            events.append(self.event(
                replica, events, len(events), r.nested(27, r.field(1, habit))))
        return events

    def event(self, replica, earlier, index, payload=None):
        """The next event of a replica, or its first one."""
        previous = earlier[-1].id if earlier else self.replica.root(replica)
        payload = payload or entry(self.replica, bytes(16), index)
        return self.replica.Event(
            replica, len(earlier) + 1, TIME + index << 16, previous, payload)


def expect(answer, status):
    if answer.status == status:
        return []
    return judge(answer) or [Finding("wrong", f"exit {status} was expected: {answer}")]


def entry(replica, habit, index):
    return replica.nested(
        8, replica.nested(1, habit) + replica.field(2, replica.zigzag(DAY + index)))


def habit_line(habit):
    return json.dumps({"type": "habit.created", "habit": habit, "title": f"Habit {habit}"}) + "\n"


def line(event):
    return json.dumps({
        "id": event.id.hex(), "replica": str(uuid.UUID(bytes=event.replica)),
        "sequence": event.sequence, "payload": base64.b64encode(event.payload).decode()}) + "\n"


def identifier(random):
    return uuid.UUID(int=random.getrandbits(128))
