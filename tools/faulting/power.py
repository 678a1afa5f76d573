"""power: a power cut at a random moment of a history of verbs.

The history runs once, and a preloaded library records writes, syncs and renames. For each try, the
folder is recreated as it may be after a cut following one of the records: synced data is there, and
of the rest any sectors of 512 bytes. As on ext4 (`ordered`), names become durable in order, and a
file grows only with its bytes; on a strict disk, any unsynced name may be missing. Then the stores
must open, verify must find nothing, everything acknowledged before the cut must be there, and an
interrupted init or clone must be repeatable. Each of the two is killed once before it succeeds.
Writes through a memory map are not recorded: only lock.mdb and -shm have them.

All tries share one record, and are sorted by their moment, so that a worker applies each change
once. The folder is in memory."""

import dataclasses
import hashlib
import itertools
import random as chance

from faulting.disk import Disk, read_journal
from faulting.preloading import Fault
from faulting.running import Finding, judge
from faulting.verbs import VERBS

COUNT = 40
# The share of tries that examine both stores, their projections and the next verbs.
THOROUGH = 0.25
NEEDS_PRELOAD = True
IN_MEMORY = True

HISTORY = (
    "add", "done", "ingest", "plan", "watch", "undo", "import", "done", "sync", "rebuild",
    "erase-habit", "compact", "done", "plan", "erase-receipts", "rebuild", "sync", "clone", "init",
    "first")
# The next write to the new store.
FIRST = dataclasses.replace(
    VERBS["add"], name="first", arguments=("habit", "add", "Jog"), stores=("new",))


@dataclasses.dataclass(frozen=True)
class Step:
    """One verb of the history: its last record, and the guarantees from then on."""

    verb: object
    begin: int
    end: int
    promised: dict


class Campaign:
    def __init__(self, place, _):
        self.place = place
        place.restore()
        locks = [path for path in place.files if path.endswith("lock.mdb")]
        self.files = place.read() | {path: place.path(path).read_bytes() for path in locks}
        self.inodes = {path: place.path(path).stat().st_ino for path in self.files}
        self.steps = []
        self.records = self.record()
        self.check_record()
        # The disks by kind, each with the number of its records, and the stores that passed.
        self.disks, self.intact = {}, set()

    def record(self):
        journal = self.place.root.parent / "journal"
        journal.write_bytes(b"")
        ends, promised = [], {store: set(held) for store, held in self.place.held.items()}
        for name in HISTORY:
            verb = FIRST if name == "first" else VERBS[name]
            begin = journal.stat().st_size
            if verb.makes:
                self.kill(verb, journal)
            answer = self.place.run_verb(verb, journal=journal)
            if answer.status != 0:
                raise RuntimeError(f"without a cut: {answer}")
            for store, held in self.place.promised(verb, answer).items():
                promised.setdefault(store, set()).update(held)
            if verb.name in ("clone", "sync"):
                # Both have all events of either.
                one, other = ("phone", "watch") if verb.name == "sync" else ("phone", "copy")
                promised[other] |= promised[one]
                promised[one] |= promised["watch"] if verb.name == "sync" else set()
            ends.append((verb, begin, journal.stat().st_size,
                         {store: set(held) for store, held in promised.items()}))
        content = journal.read_bytes()
        root = str(self.place.root.resolve())
        counts = {size: len(read_journal(content[:size], root))
                  for _, begin, end, _ in ends for size in (begin, end)}
        self.steps = [Step(verb, counts[begin], counts[end], held)
                      for verb, begin, end, held in ends]
        return read_journal(content, root)

    def kill(self, verb, journal):
        """Kills a verb as soon as its new store has a directory, whose name is not durable then."""
        for call in itertools.count(1):
            answer = self.place.run_verb(verb, journal=journal, fault=Fault(call, "kill"))
            if not answer.is_killed:
                raise RuntimeError(f"not killed: {answer}")
            if self.place.path(verb.makes).exists():
                return

    def check_record(self):
        """Checks that the records result in the actual files, except for writes through a map."""
        disk = Disk(self.files, self.inodes, is_ordered=True)
        for record in self.records:
            disk.apply(record)
        found, told = self.place.read(), disk.written()
        for path in found.keys() | told.keys():
            if path.endswith(("lock.mdb", "-shm")) and path in found.keys() & told.keys():
                continue
            if path not in found or path not in told or found[path] != told[path]:
                raise RuntimeError(f"the records do not result in the file: {path}")

    def tries(self, random, count):
        print(f"{len(HISTORY)} verbs, {len(self.records)} records", flush=True)
        kinds = [(step, how) for step in self.steps for how in ("ordered", "strict")]
        random.shuffle(kinds)
        names = []
        for index in range(count):
            step, how = kinds[index % len(kinds)]
            # Just after its end, a verb guarantees the most.
            at_end = random.random() < 0.25
            cut = step.end if at_end else random.randint(step.begin, step.end)
            names.append((cut, f"{how}:{cut}:{random.randrange(10**6)}:{step.verb.name}"))
        return [name for _, name in sorted(names)]

    def disk(self, how, cut):
        """Returns the disk after the first records, which continues from the last one if it can."""
        disk, applied = self.disks.get(how, (None, len(self.records) + 1))
        if applied > cut:
            disk, applied = Disk(self.files, self.inodes, how == "ordered"), 0
        for record in self.records[applied:cut]:
            disk.apply(record)
        self.disks[how] = disk, cut
        return disk

    def examine(self, files, store, promised, also):
        """Examines a store, unless the same bytes have already passed the same checks."""
        state = hashlib.sha256(repr((store, sorted(promised), also)).encode())
        for path in sorted(files):
            if path.startswith(store + "/"):
                content = files[path]
                state.update(repr((path, content and len(content))).encode())
                state.update(content or b"")
        if state.digest() in self.intact:
            return []
        findings = self.place.examine(store, promised, also)
        if not findings:
            self.intact.add(state.digest())
        return findings

    def attempt(self, name):
        how, cut, seed, cut_verb = name.split(":")
        cut = int(cut)
        over = [step for step in self.steps if step.end <= cut]
        promised = over[-1].promised if over else self.place.held
        begun = {step.verb.name for step in self.steps if step.begin <= cut}
        concerned = next(step.verb for step in self.steps if step.verb.name == cut_verb).stores
        random = chance.Random(int(seed))
        files = self.disk(how, cut).after_cut(random)
        self.place.restore(files)
        # A campaign may have 20,000 tries, so most of them examine only what the cut concerns.
        is_thorough = random.random() < THOROUGH
        findings = []
        for store in ("phone", "watch"):
            if is_thorough or store in concerned:
                findings += self.examine(files, store, promised[store], is_thorough)
        for verb in (VERBS["clone"], VERBS["init"]):
            if verb.makes in promised:
                if is_thorough or verb.makes in concerned:
                    findings += self.examine(
                        files, verb.makes, promised[verb.makes], is_thorough)
            elif verb.name in begun:
                findings += self.place.is_made_again(verb, {})
        if not is_thorough:
            return findings
        for name in sorted(begun & {"plan", "watch"}):
            answer = self.place.run_verb(VERBS[name])
            if answer.status != 0:
                findings += judge(answer) or [Finding("wrong", f"after the cut {answer}")]
        return findings + self.place.leftovers(("phone", "watch", "copy", "new"))
