"""A place with stores that have a history, restored before each try, and what must hold there."""

import os
import re
import shutil
import time

from faulting.running import Finding, judge
from faulting.verbs import BEFORE, NOW, ZONE, ids

# The paths that may be in a store's folder.
KNOWN = re.compile(
    r"log|log/(data\.mdb|lock\.mdb|identity)|desktop\.json|[a-z-]+\.lock|log/[a-z-]+\.lock"
    r"|log(\.new)?\.sqlite(-wal|-shm|-journal)?|log\.identity"
    r"|projection-v\d+-g\d+\.sqlite(-wal|-shm)?")
ENTRIES = 90


class Place:
    """A folder with the stores phone and watch, each with events that the other lacks, and files.

    Restored files keep their inodes, so that a store is not taken for a copy."""

    def __init__(self, root, runner, preloaded, storage):
        # Any path must work.
        self.root = root / "it's a place"
        self.root.mkdir(parents=True)
        self.runner, self.preloaded, self.storage = runner, preloaded, storage
        self.held = {}
        self.make()
        self.files = self.read()

    def path(self, name):
        return self.root / name

    # Running verbs.

    def words(self, arguments):
        words = [
            str(self.path(word[1:-1])) if word.startswith("{") and word.endswith("}") else word
            for word in arguments]
        creates = words[0] in ("init", "clone", "restore")
        return words + ["--storage", self.storage] if creates else words

    def log_file(self, store):
        """The file of a store's log."""
        return self.path(store) / ("log/data.mdb" if self.storage == "lmdb" else "log.sqlite")

    def start(
        self, arguments, store="phone", now=NOW, fault=None, trace=None, journal=None,
        environment=None, wrapper=(), input_text=""
    ):
        values = {"CARILLON_NOTIFY": "/bin/true", "CARILLON_STORE": str(self.path(store))}
        values |= environment or {}
        if fault or trace or journal:
            values |= self.preloaded.environment(self.root, fault, trace, journal)
        words = self.words(arguments) + ["--json", "--now", now, "--zone", ZONE]
        return self.runner.start(
            words, environment=values, wrapper=wrapper, input_text=input_text)

    def run(self, *arguments, **options):
        return self.start(arguments, **options).answer()

    def start_verb(self, verb, **options):
        return self.start(verb.arguments, store=verb.stores[0], **options)

    def run_verb(self, verb, **options):
        return self.start_verb(verb, **options).answer()

    def must(self, *arguments, **options):
        """Runs a verb that must succeed."""
        answer = self.run(*arguments, **options)
        if answer.status != 0:
            raise RuntimeError(f"the place cannot be created: {answer}")
        return answer

    def waits_until_open(self, process, store="phone"):
        """Waits until a process has a store's log open, and returns false if it ended before."""
        end = time.monotonic() + self.runner.limit
        while process.is_running() and time.monotonic() < end:
            if process.has_open(self.log_file(store)):
                return True
            time.sleep(0.01)
        return False

    # The history.

    def make(self):
        def before(*arguments, **options):
            return self.must(*arguments, now=BEFORE, **options)

        before("init", "--replica", "phone")
        before("permission", "grant")
        habits = {}
        for title, flags in {
            "Walk": ("--at", "17:00", "--unless", "done"), "Read": ("--at", "11:50"),
            "Gone": ("--at", "08:00", "--on", "mon,thu"),
        }.items():
            habits[title] = before("habit", "add", title, *flags).document()["habit"]
        entries = [
            f'{{"type":"entry.recorded","habit":"{habits["Walk"]}","date":"{date(day)}"}}\n'
            for day in range(ENTRIES)]
        before("append", input_text="".join(entries))
        before("done", "Gone")
        before("done", "Read")
        item = '{{"id":"{0}","title":"Item {0}","body":"A text of item {0}."}}\n'.format
        before("ingest", "--source", "feed", input_text="".join(item(n) for n in range(8)))
        before("clone", "{phone}", "{watch}", "--replica", "watch", "--role", "watch")
        before("clone", "{phone}", "{tablet}", "--replica", "tablet", "--role", "tablet")
        before("plan", "--apply", "{desk.json}")
        before("watch", "--once")
        before("backup", "{backup}")
        before("done", "Walk", "--on", "2026-11-18", store="watch")
        before("habit", "add", "Sing", "--at", "12:30", store="watch")
        before("done", "Read", "--on", "2026-11-17", store="tablet")
        self.path("events.ndjson").write_text(before("export", store="tablet").output)
        shutil.rmtree(self.path("tablet"))
        self.path("items.ndjson").write_text("".join(item(n) for n in range(5, 12)))
        before("done", "Walk", "--on", "2026-11-19")
        for store in ("phone", "watch"):
            before("pending", store=store)
            self.held[store] = ids(self.must("log", store=store).output)
        self.held["events.ndjson"] = ids(self.path("events.ndjson").read_text())

    def read(self):
        """Returns every file's bytes by path, and None for folders; without shared memory."""
        found = {}
        for folder, folders, names in os.walk(self.root):
            base = os.path.relpath(folder, self.root)
            found.update({os.path.normpath(os.path.join(base, name)): None for name in folders})
            for name in names:
                path = os.path.normpath(os.path.join(base, name))
                found[path] = b"" if name == "lock.mdb" else (self.root / path).read_bytes()
        return found

    def restore(self, files=None):
        """Restores everything, or the given files."""
        files = self.files if files is None else files
        for folder, folders, names in os.walk(self.root, topdown=False):
            base = os.path.relpath(folder, self.root)
            for name in names:
                if os.path.normpath(os.path.join(base, name)) not in files:
                    os.unlink(os.path.join(folder, name))
            for name in folders:
                if os.path.normpath(os.path.join(base, name)) not in files:
                    shutil.rmtree(os.path.join(folder, name))
        for path, content in files.items():
            if content is None:
                (self.root / path).mkdir(exist_ok=True, mode=0o700)
            elif content or not path.endswith("lock.mdb"):
                put(self.root / path, content)

    # What must hold.

    def promised(self, verb, answer):
        """Returns the events that each store must have: earlier and acknowledged ones."""
        held = {store: set(self.held[store]) for store in verb.stores if store in self.held}
        if answer.status != 0:
            return held
        first = held.setdefault(verb.stores[0], set())
        if verb.name != "export":
            first |= ids(answer.output)
        for source in verb.takes:
            first |= self.held[source]
        if verb.name == "sync":
            held["watch"] |= held["phone"]
        return held

    def examine(self, store, promised, also=True):
        """Checks that a store has the promised events, and is intact; and also that it goes on."""
        findings = []
        log = self.run("log", store=store)
        if log.status != 0:
            return judge(log) + [Finding("lost", f"{store} cannot be read: {log}")]
        missing = promised - ids(log.output)
        if missing:
            findings.append(Finding(
                "lost", f"{store} lacks {len(missing)} events, the first {min(missing)}"))
        findings += self.succeeds(("verify",), store)
        return findings + (self.goes_on(store) if also else [])

    def goes_on(self, store):
        """Checks that the projections are as after a rebuild, and that the next event is taken."""
        return self.succeeds(("rebuild", "--check"), store) + self.succeeds(("active",), store)

    def succeeds(self, words, store):
        answer = self.run(*words, store=store)
        if answer.status == 0:
            return []
        return judge(answer) or [Finding("wrong", f"afterwards {answer}")]

    def state(self, store):
        """Returns a store's state digest and its heads, which equal stores share."""
        status = self.must("status", "--digest", store=store).document()
        return status["stateDigest"], sorted(str(head) for head in status["versionVector"])

    def leftovers(self, stores, file=""):
        """Returns a finding for each path that nothing will remove, except for a new file."""
        known = set(self.files) | {"desk.json", file}
        found = []
        for folder, folders, names in os.walk(self.root):
            for name in folders + names:
                path = os.path.relpath(os.path.join(folder, name), self.root)
                store, _, inner = path.partition("/")
                is_of_store = store in stores and (not inner or KNOWN.fullmatch(inner))
                is_of_backup = re.fullmatch(r"backup/(events-\d+|manifest\.json\.new)", path)
                if path not in known and not is_of_store and not is_of_backup:
                    found.append(Finding("wrong", f"left behind: {path}"))
        return found

    def is_made_again(self, verb, promised):
        """Checks after a killed `init` or `clone` that the store is complete or can be created."""
        store = verb.makes
        again = self.run_verb(verb)
        if again.status == 0:
            return self.examine(store, promised.get(store, set()) | ids(again.output))
        findings = judge(again, allowed={73})
        if findings:
            return findings
        status = self.run("status", store=store)
        if status.status != 0:
            return [Finding("wrong", f"no store, and none can be created: {again}; {status}")]
        if verb.name == "clone":
            # It was created but not filled; a sync fills it.
            answer = self.run("sync", "{phone}", "{copy}")
            if answer.status != 0:
                return judge(answer) or [Finding("wrong", f"a cut clone does not sync: {answer}")]
            promised = {store: self.held["phone"] | promised.get(store, set())}
        return self.examine(store, promised.get(store, set()))

    def follow_up(self, verb, answer):
        """Checks everything that must hold after a verb was interrupted or failed."""
        promised = self.promised(verb, answer)
        findings = []
        if verb.makes:
            if answer.status == 0:
                findings += self.examine(verb.makes, promised[verb.makes])
            else:
                findings += self.is_made_again(verb, promised)
        for store in verb.stores:
            if store != verb.makes:
                findings += self.examine(store, promised[store], store == verb.stores[0])
        if verb.repeats or verb.file:
            again = self.run_verb(verb)
            has_file = verb.file and again.status == 73
            if again.status != 0 and not has_file:
                findings += judge(again) or [Finding("wrong", f"once more: {again}")]
        return findings + self.leftovers(verb.stores, verb.file)


def put(path, content):
    """Overwrites an existing file, so that it keeps its inode."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    with os.fdopen(os.open(path, flags, 0o600), "wb") as output:
        output.write(content)


def date(day):
    """Returns the date a number of days after 2026-01-01."""
    return time.strftime("%Y-%m-%d", time.gmtime(1767225600 + day * 86400))
