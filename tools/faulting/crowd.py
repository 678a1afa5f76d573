"""crowd: four or 16 processes at a time use two stores, and half of them meet a fault.

They append, erase, import, ingest, apply, watch, rebuild, compact, back up, restore, verify and
sync, at random. A process is killed, stopped for a moment, or one of its calls fails. In half of
the tries the power is cut at a random record of what they all wrote. Then everything acknowledged
before must be there, also in the backup; both stores must be intact; and after a sync both must
have the same heads and the same state digest."""

import concurrent.futures
import dataclasses
import random as chance
import signal
import threading
import time

from faulting.disk import Disk, read_journal
from faulting.preloading import Fault
from faulting.running import Finding, judge
from faulting.verbs import ids

COUNT = 16
NEEDS_PRELOAD = True

STORES = ("phone", "watch")
AT_ONCE = (4, 4, 4, 16)
ACTS_IN_TRY = 28
# The words of each act, and how often it is chosen. `@` is the act's store.
ACTS = (
    (("done", "Walk"), 10), (("done", "Read", "--amount", "2"), 6), (("skip", "Walk"), 2),
    (("habit", "add", "Swim", "--at", "06:30", "--again"), 4), (("undo", "Read"), 2),
    (("snooze", "Read", "--for", "20m"), 2), (("settings", "set", "quietHours", "22-7"), 2),
    (("sync", "{phone}", "{watch}"), 6), (("sync", "{watch}", "{phone}", "--audit"), 2),
    (("import", "{events.ndjson}"), 2), (("ingest", "--source", "feed", "{items.ndjson}"), 2),
    (("plan", "--apply", "{desk-@.json}"), 3), (("watch", "--once"), 3), (("rebuild",), 3),
    (("compact",), 2), (("backup", "{backup-@}", "--incremental"), 3),
    (("restore", "{backup}", "{restored-#}"), 1), (("verify",), 2), (("status",), 2),
    (("pending",), 2), (("export",), 1), (("receipts", "erase", "--all"), 1),
    (("habit", "delete", "Gone", "--erase", "--yes"), 1),
)
# Nothing to take back, none of that name any more, and busy.
UNDISTURBED = {0, 1, 66, 75}


@dataclasses.dataclass(frozen=True)
class Act:
    """One process: its words, its store, and its fault."""

    words: tuple
    store: str
    # "", kill, stop, or a Fault.
    fault: object
    seconds: float


@dataclasses.dataclass(frozen=True)
class Promise:
    """Events that a store or a backup must have, once the journal had a number of bytes."""

    place: str
    events: frozenset
    bytes: int


class Campaign:
    def __init__(self, place, _):
        self.place = place

    def tries(self, random, count):
        return [f"{'power' if index % 2 else 'calm'}:{random.randrange(10**9)}"
                for index in range(count)]

    def attempt(self, name):
        how, seed = name.split(":")
        self.place.restore()
        crowd = Crowd(self.place, chance.Random(int(seed)), how == "power")
        findings = crowd.run()
        end = crowd.cut() if how == "power" else None
        return findings + self.check(crowd, end)

    def check(self, crowd, end):
        """Checks both stores and the backups, and that the stores become equal."""
        findings = []
        for store in STORES:
            findings += self.place.examine(store, crowd.promised(store, end))
            findings += self.check_backup(f"backup-{store}", crowd.promised(f"backup-{store}", end))
        if findings:
            return findings
        for _ in range(2):
            answer = self.place.run("sync", "{phone}", "{watch}")
            if answer.status != 0:
                return judge(answer) or [Finding("wrong", f"afterwards {answer}")]
        states = [self.place.state(store) for store in STORES]
        if states[0] != states[1]:
            findings.append(Finding("diverged", f"after two syncs: {states[0]}, {states[1]}"))
        both = crowd.promised("phone", end) | crowd.promised("watch", end)
        for store in STORES:
            missing = both - ids(self.place.must("log", store=store).output)
            if missing:
                findings.append(Finding("lost", f"{store} lacks {len(missing)} after the sync"))
        return findings

    def check_backup(self, name, promised):
        """Checks that a backup is intact and restores everything promised."""
        answer = self.place.run("backup", "--check", "{%s}" % name)
        if answer.status == 66 and not promised:
            return []
        if answer.status != 0:
            return judge(answer) or [Finding("wrong", f"the backup is damaged: {answer}")]
        if not promised:
            return []
        restored = "restored-" + name
        answer = self.place.run("restore", "{%s}" % name, "{%s}" % restored)
        if answer.status != 0:
            return judge(answer) or [Finding("lost", f"the backup is not restored: {answer}")]
        return self.place.examine(restored, promised)


class Crowd:
    """The processes of one try, and what they were promised."""

    def __init__(self, place, random, is_recorded):
        self.place, self.random = place, random
        self.journal = place.root.parent / "journal" if is_recorded else None
        if self.journal:
            self.journal.write_bytes(b"")
            locks = [path for path in place.files if path.endswith("lock.mdb")]
            self.files = place.read()
            self.files |= {path: place.path(path).read_bytes() for path in locks}
            self.inodes = {path: place.path(path).stat().st_ino for path in self.files}
        self.lock = threading.Lock()
        self.promises = [
            Promise(store, frozenset(place.held[store]), 0) for store in STORES]

    def run(self):
        """Runs the acts, a few at once, and returns findings about how they ended."""
        acts = [self.act(number) for number in range(ACTS_IN_TRY)]
        with concurrent.futures.ThreadPoolExecutor(self.random.choice(AT_ONCE)) as pool:
            return [finding for found in pool.map(self.play, acts) for finding in found]

    def act(self, number):
        random = self.random
        words = random.choices([act for act, _ in ACTS], [weight for _, weight in ACTS])[0]
        store = random.choice(STORES)
        words = tuple(word.replace("@", store).replace("#", str(number)) for word in words)
        fault = random.choice(["", "", "", "", "kill", "stop", "call", "dead"])
        if fault == "kill" and self.journal:
            # A record must not be lost with the process that should have written it.
            fault = "dead"
        if fault == "call":
            fault = Fault(random.randint(1, 400), "fail", random.choice(["EIO", "ENOSPC", "EINTR"]))
        elif fault == "dead":
            fault = Fault(random.randint(1, 400), "kill")
        return Act(words, store, fault, random.uniform(0.005, 0.2))

    def play(self, act):
        before = {store: self.promised(store) for store in STORES}
        fault = act.fault if isinstance(act.fault, Fault) else None
        process = self.place.start(
            act.words, store=act.store, fault=fault, journal=self.journal)
        if act.fault in ("kill", "stop"):
            time.sleep(act.seconds)
            process.signal(signal.SIGKILL if act.fault == "kill" else signal.SIGSTOP)
        if act.fault == "stop":
            time.sleep(0.5)
            process.signal(signal.SIGCONT)
        answer = process.answer()
        if answer.status == 0:
            self.promise(act, answer, before)
            return [Finding("processes succeeded", "")]
        if answer.is_killed and act.fault and (act.fault == "kill" or fault):
            return [Finding("processes killed", "")]
        ended = judge(answer) if fault else judge(answer, UNDISTURBED)
        return ended or [Finding("processes refused", "")]

    def promise(self, act, answer, before):
        """Notes what an act guarantees that ended with 0."""
        size = self.journal.stat().st_size if self.journal else 0
        verb, both = act.words[0], before["phone"] | before["watch"]
        made = []
        if verb == "sync":
            made = [(store, both) for store in STORES]
        elif verb == "import":
            made = [(act.store, self.place.held["events.ndjson"])]
        elif verb == "backup":
            made = [(f"backup-{act.store}", before[act.store])]
        elif verb not in ("export", "log", "restore"):
            made = [(act.store, ids(answer.output))]
        with self.lock:
            self.promises += [Promise(place, frozenset(events), size) for place, events in made]

    def promised(self, place, end=None):
        """Returns the events that a store or a backup must have, also after a cut."""
        with self.lock:
            return set().union(*(
                promise.events for promise in self.promises
                if promise.place == place and (end is None or promise.bytes <= end)))

    def cut(self):
        """Cuts the power at a random record, and returns the bytes of the journal before it."""
        content = self.journal.read_bytes()
        records = read_journal(content, str(self.place.root.resolve()))
        is_at_end = self.random.random() < 0.25
        count = len(records) if is_at_end else self.random.randint(0, len(records))
        disk = Disk(self.files, self.inodes, self.random.random() < 0.5)
        for record in records[:count]:
            disk.apply(record)
        self.place.restore(disk.after_cut(self.random))
        self.journal.unlink()
        return sum(record.size for record in records[:count])
