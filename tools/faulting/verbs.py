"""The tested verbs, and the guarantees of each after exit code 0."""

import dataclasses
import re

# A Monday noon; the stores were created three days before.
NOW = "2026-11-23T12:00:00+01:00"
BEFORE = "2026-11-20T09:00:00+01:00"
ZONE = "Europe/Berlin"

ID = re.compile(r'"id":"([0-9a-f]{64})"')


@dataclasses.dataclass(frozen=True)
class Verb:
    """A call of the command line. `{name}` in an argument is a path in the place."""

    name: str
    arguments: tuple
    # The stores that it uses, the first one by --store.
    stores: tuple = ("phone",)
    # The store that it creates.
    makes: str = ""
    # The file that it creates, once.
    file: str = ""
    # Whether a second identical call must also succeed.
    repeats: bool = False
    reads: bool = False
    # The stores whose events are in its first store after success.
    takes: tuple = ()


VERBS = {
    verb.name: verb
    for verb in (
        Verb("init", ("init", "--replica", "new"), ("new",), makes="new"),
        Verb("clone", ("clone", "{phone}", "{copy}", "--replica", "copy"), ("copy", "phone"),
             makes="copy", takes=("phone",)),
        Verb("add", ("habit", "add", "Swim", "--at", "06:30", "--again")),
        Verb("done", ("done", "Walk"), repeats=True),
        Verb("undo", ("undo", "Read", "--on", "2026-11-20")),
        Verb("sync", ("sync", "{phone}", "{watch}"), ("phone", "watch"), repeats=True,
             takes=("watch",)),
        Verb("rebuild", ("rebuild",), repeats=True),
        Verb("compact", ("compact",), repeats=True),
        Verb("import", ("import", "{events.ndjson}"), repeats=True, takes=("events.ndjson",)),
        Verb("export", ("export",), repeats=True),
        Verb("backup", ("backup", "{backup}", "--incremental"), repeats=True),
        Verb("archive", ("backup", "--to", "{phone.tar}"), file="phone.tar"),
        Verb("restore", ("restore", "{backup}", "{restored}"), ("restored",), makes="restored"),
        Verb("plan", ("plan", "--apply", "{desk.json}"), repeats=True),
        Verb("watch", ("watch", "--once"), repeats=True),
        Verb("ingest", ("ingest", "--source", "feed", "{items.ndjson}"), repeats=True),
        Verb("erase-habit", ("habit", "delete", "Gone", "--erase", "--yes")),
        Verb("erase-receipts", ("receipts", "erase", "--all"), repeats=True),
        Verb("status", ("status",), repeats=True, reads=True),
        Verb("pending", ("pending",), repeats=True, reads=True),
        Verb("habits", ("habit", "list"), repeats=True, reads=True),
        Verb("receipts", ("receipts", "list"), repeats=True, reads=True),
        Verb("log", ("log",), repeats=True, reads=True),
        Verb("verify", ("verify",), repeats=True, reads=True),
    )
}

WRITING = [name for name, verb in VERBS.items() if not verb.reads]
READING = [name for name, verb in VERBS.items() if verb.reads]


def ids(text):
    """Returns the IDs of the events in an answer of --json."""
    return set(ID.findall(text))
