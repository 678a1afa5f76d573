"""flips: one bit of the log's or the projections' file is flipped while the store is closed, or in
the log under a running follower.

After half of the flips in the log, the projections are also removed, so that they are rebuilt from
the log. Each page is hit before one is hit again, half of the tries hit the log's small pages, and
three of four hit a used byte. Then every verb that reads must answer as before or report the
damage, or verify must report it (the end of the output counts how often only verify did). A sync
with an intact replica, and a clone, must transfer everything or report that they did not."""

import itertools
import json
import os
import random as chance
import re
import signal
import time

from faulting.pages import PAGE, groups_of_log, groups_of_tables
from faulting.running import ENDED, EXIT_CODES, Finding, judge
from faulting.verbs import ids

COUNT = 40
NEEDS_PRELOAD = False

READING = {
    "pending": ("pending",), "status": ("status", "--digest"), "habits": ("habit", "list"),
    "receipts": ("receipts", "list"), "export": ("export",), "log": ("log",),
    "verify": ("verify",), "health": ("permission", "show"),
}
FOLLOWERS = (
    ("log", "--follow"), ("watch",), ("sync", "{phone}", "{watch}", "--watch", "--every", "1s"))
# LMDB reads only this much of the first two pages.
HEAD_BYTES = 152
# The place of the file's last page number, from which a follower learns that the map must grow.
LAST_PAGE = range(136, 144)


class Campaign:
    def __init__(self, place, _):
        self.place = place
        self.log = str(place.log_file("phone").relative_to(place.root))
        place.must("plan", "--apply", "{desk.json}")
        place.must("pending")
        place.must("pending", store="watch")
        place.held["phone"] = ids(place.must("log").output)
        place.files = place.read()
        self.tables = next(
            path for path in place.files if path.startswith("phone/") and path.endswith(".sqlite"))
        self.intact = {name: place.run(*words).output for name, words in READING.items()}
        place.restore()
        for name, words in READING.items():
            if place.run(*words).output != self.intact[name]:
                raise RuntimeError(f"{name} answers differently without damage")

    def tries(self, random, count):
        groups_of = groups_of_log if self.place.storage == "lmdb" else groups_of_tables
        log = {f"log-{name}": (self.log, pages)
               for name, pages in groups_of(self.place.files[self.log]).items()}
        tables = {f"tables-{name}": (self.tables, pages)
                  for name, pages in groups_of_tables(self.place.files[self.tables]).items()}
        groups = log | tables
        every = [(name, page) for name, (_, pages) in groups.items() for page in pages]
        random.shuffle(every)
        small = [(name, page) for name, page in every
                 if name in ("log-head", "log-free", "log-main", "log-branches", "log-runs",
                             "log-meta")] or every
        names = []
        for index, large, little in zip(
                range(count), itertools.cycle(every), itertools.cycle(small)):
            # One in ten is under a follower, and half of the rest are in a small page.
            name, page = little if index % 2 else large
            if index % 10 == 9:
                name, page = "follower", random.choice([0, 1])
            path = self.log if name == "follower" else groups[name][0]
            byte = self.byte(random, self.place.files[path], page, name)
            names.append(f"{name}:{page}:{byte}:{random.randrange(8)}:{random.randrange(10**6)}")
        return names

    @staticmethod
    def byte(random, data, page, name):
        if name == "follower" and random.random() < 0.4:
            return random.choice(LAST_PAGE)
        if name in ("follower", "log-head"):
            return random.randrange(HEAD_BYTES)
        used = [byte for byte in range(PAGE) if data[page * PAGE + byte]]
        return random.choice(used) if used and random.random() < 0.75 else random.randrange(PAGE)

    def attempt(self, name):
        group, *numbers = name.split(":")
        page, byte, bit, order = map(int, numbers)
        self.place.restore()
        path = self.tables if group.startswith("tables") else self.log
        flip = lambda: flip_bit(self.place.path(path), page * PAGE + byte, bit)  # noqa: E731
        if group == "follower":
            return self.under_a_follower(FOLLOWERS[order % len(FOLLOWERS)], flip)
        flip()
        if path == self.log and order % 2:
            for file in self.place.path("phone").glob("*.sqlite*"):
                file.unlink()
        random = chance.Random(order)
        verbs = list(READING)
        random.shuffle(verbs)
        findings = []
        for verb in verbs:
            findings += self.compare(verb)
        return findings + random.choice([self.after_sync, self.after_clone])()

    def compare(self, verb):
        """Expects an unchanged answer, a report of the damage, or a report of verify after it."""
        answer = self.place.run(*READING[verb])
        differs = same(answer.output) != same(self.intact[verb])
        if answer.status != 0 or not differs or reports(answer, self.intact[verb]):
            return judge(answer)
        where = difference(self.intact[verb], answer.output)
        verified = self.place.run("verify")
        if verified.status != 0:
            return judge(verified) + [Finding("found by verify alone", where)]
        return [Finding("wrong", f"{verb} answers differently, and verify finds nothing: {where}")]

    def after_sync(self):
        """Expects that all events reach an intact replica, or that the sync reports it."""
        done = self.place.run("done", "Walk")
        findings = judge(done)
        written = ids(done.output) if done.status == 0 else set()
        sync = self.place.run("sync", "{phone}", "{watch}")
        findings += judge(sync)
        audit = sync
        if sync.status == 1:
            audit = self.place.run("sync", "{phone}", "{watch}", "--audit")
            findings += judge(audit)
        held = ids(self.place.must("log", store="watch").output)
        if self.place.held["watch"] - held:
            findings.append(Finding("lost", "the intact replica lost events"))
        if sync.status == 0 and self.place.held["phone"] - held:
            findings.append(Finding(
                "wrong", f"exit 0, but not everything was transferred: {sync.output[:200]}"))
        if audit.status in (0, 1) and written - held:
            findings.append(Finding(
                "lost", f"events after the damage reach no replica: {audit}"))
        vector = self.place.must("status", store="watch").document()["versionVector"]
        replicas = [head["replica"] for head in vector]
        if len(replicas) > len(set(replicas)):
            findings.append(Finding("wrong", "a false fork"))
        return findings

    def after_clone(self):
        clone = self.place.run("clone", "{phone}", "{copy}", "--replica", "copy", store="copy")
        findings = judge(clone)
        if clone.status == 0:
            held = ids(self.place.run("log", store="copy").output)
            missing = self.place.held["phone"] - held
            if missing:
                findings.append(Finding("wrong", f"exit 0, but the clone lacks {len(missing)}"))
        return findings

    def under_a_follower(self, words, flip):
        follower = self.place.start(words)
        if not self.place.waits_until_open(follower):
            return judge(follower.answer())
        flip()
        done = self.place.run("done", "Walk")
        time.sleep(1)
        was_running = follower.is_running()
        follower.signal(signal.SIGTERM)
        answer = follower.answer()
        # It may have found the damage between the look and the signal.
        ends_by_signal = was_running and not answer.error()
        findings = judge(done) + judge(answer, allowed=ENDED if ends_by_signal else EXIT_CODES)
        strange = ids(answer.output) - self.place.held["phone"] - ids(done.output)
        if words[0] == "log" and strange:
            findings.append(Finding("wrong", "the follower printed events that were not written"))
        return findings


def flip_bit(path, offset, bit):
    """Flips a bit of a file in place, as a bad disk may."""
    file = os.open(path, os.O_RDWR)
    try:
        os.pwrite(file, bytes([os.pread(file, 1, offset)[0] ^ 1 << bit]), offset)
    finally:
        os.close(file)


def same(text):
    """Returns an answer without the planned range, which rebuilt projections do not know."""
    return re.sub(r'"coverageUntil":("[^"]*"|null)', "", text)


def reports(answer, intact):
    """Whether a different answer reports damage."""
    if answer.errors.strip():
        return True
    try:
        found, before = json.loads(answer.output), json.loads(intact)
    except ValueError:
        return False
    return any(found.get(key) != before.get(key) for key in ("health", "problems", "warnings"))


def difference(intact, found):
    """Returns the first difference of two answers."""
    at = next((index for index, (one, other) in enumerate(zip(intact, found)) if one != other),
              min(len(intact), len(found)))
    return f"{intact[max(0, at - 30):at + 40]!r} is {found[max(0, at - 30):at + 40]!r}"
