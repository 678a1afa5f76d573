"""hostile: a file to import, a title, or a device in place of a file was made to do harm.

Backups of Loop are damaged at random, or have strange values in every column; calendars have rules
that never match or never end, and components without number or end; lines of events are cut,
deeply nested or no text; titles have control characters or none. Each verb must end in time, with
success or a typed error, and print no control character; the store must be intact afterwards."""

import pathlib
import random as chance
import re
import sqlite3
import subprocess

from faulting.running import Finding, judge
from faulting.verbs import ids

COUNT = 60
NEEDS_PRELOAD = False

SAMPLE = pathlib.Path(__file__).resolve().parent.parent / "sample-backup"
SCHEMAS = (12, 22, 23, 24, 25)
# Values for a column of a backup.
VALUES = (
    None, "", "0", -1, 2**63 - 1, -2**63, 1e308, float("inf"), b"\xff\x00", "x" * 900_000,
    "\x1b[2J", "\u202e", " ", "'; DROP TABLE Habits; --")
# Statements that change what a reader of a backup meets.
SCHEMES = (
    "CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT * FROM"
    " n; ALTER TABLE Repetitions RENAME TO r; CREATE VIEW Repetitions AS SELECT i AS habit, i AS"
    " timestamp, 2 AS value FROM v",
    "ALTER TABLE Habits RENAME TO h; CREATE VIEW Habits AS SELECT * FROM h",
    "CREATE TRIGGER t AFTER INSERT ON Habits BEGIN DELETE FROM Habits; END",
    "DROP TABLE Repetitions", "DROP TABLE Habits", "DELETE FROM Habits", "PRAGMA user_version = 99",
    "CREATE VIRTUAL TABLE f USING fts5(x)")
RULES = (
    "FREQ=SECONDLY", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31", "FREQ=DAILY;COUNT=999999999999",
    "FREQ=MINUTELY;BYSECOND=" + ",".join(map(str, range(60))), "FREQ=DAILY;INTERVAL=0", "FREQ=",
    "FREQ=YEARLY;BYDAY=53MO;BYWEEKNO=53;BYSETPOS=-366", "FREQ=DAILY;UNTIL=99999999T999999Z")
DEVICES = ("/dev/zero", "/dev/null", "/dev/full", "/proc/self/mem", "{phone}", "/proc/kmsg")
TITLES = (
    "", " ", "\t", "\u200b", "\u202eklaW", "\x1b]0;x\x07", "\x7f", "a\nb", "x" * 201,
    "\u00e9" * 50_000, "\U0001f3c3\u200d\u2642\ufe0f", "\ufeff", "-", "--json", "%s%n",
    "$(reboot)", "\u2028")
CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class Campaign:
    def __init__(self, place, _):
        self.place = place
        self.lines = place.path("events.ndjson").read_bytes()
        self.backups = {}
        for schema in SCHEMAS:
            path = place.root.parent / f"schema-{schema}.db"
            subprocess.run(
                [SAMPLE, path, "--schema", str(schema), "--habits", "4", "--repetitions", "40"],
                check=True)
            self.backups[schema] = path.read_bytes()

    def tries(self, random, count):
        kinds = ("flips", "cut", "values", "scheme", "calendar", "lines", "title", "device")
        return [f"{kinds[index % len(kinds)]}:{index // len(kinds)}:{random.randrange(10**9)}"
                for index in range(count)]

    def attempt(self, name):
        kind, index, seed = name.split(":")
        index, random = int(index), chance.Random(int(seed))
        self.place.restore()
        file = self.place.path("hostile")
        words = ("import", "{hostile}")
        if kind == "title":
            title = TITLES[index % len(TITLES)]
            words = random.choice([
                ("habit", "add", title), ("done", "--note", title, "Walk"),
                ("habit", "edit", "Read", "--title", title), ("done", title)])
        elif kind == "device":
            words = ("import", DEVICES[index % len(DEVICES)])
        elif kind == "calendar":
            file.write_text(calendar(index, random))
        elif kind == "lines":
            file.write_bytes(lines(self.lines, random))
        else:
            file.write_bytes(self.backups[random.choice(SCHEMAS)])
            self.damage(file, kind, index, random)
        answer = self.place.run(*words)
        findings = judge(answer)
        if CONTROLS.search(answer.output + answer.errors):
            findings.append(Finding("wrong", f"printed a control character: {answer}"))
        file.unlink(missing_ok=True)
        written = ids(answer.output) if answer.status == 0 else set()
        return findings + self.place.examine("phone", self.place.held["phone"] | written)

    @staticmethod
    def damage(file, kind, index, random):
        if kind in ("flips", "cut"):
            content = bytearray(file.read_bytes())
            for _ in range(random.choice([1, 10, 100])):
                content[random.randrange(len(content))] ^= 1 << random.randrange(8)
            file.write_bytes(content[:random.randrange(len(content))] if kind == "cut" else content)
            return
        database = sqlite3.connect(file)
        if kind == "scheme":
            database.executescript(SCHEMES[index % len(SCHEMES)])
        else:
            table = random.choice(["Habits", "Repetitions"])
            columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")][1:]
            for column in random.sample(columns, 2):
                try:
                    database.execute(f"UPDATE {table} SET {column} = ?", [random.choice(VALUES)])
                except sqlite3.IntegrityError:
                    pass
        database.commit()
        database.close()


def calendar(index, random):
    """Returns a calendar with one kind of harm."""
    rule = random.choice(RULES)
    extra = {
        0: "",
        1: "".join(f"EXDATE:2026{random.randint(1, 12):02}{random.randint(1, 28):02}T090000Z\n"
                   for _ in range(100_000)),
        2: "BEGIN:VALARM\n" * 10_000,
        3: "SUMMARY:" + "x" * 2_000_000 + "\n",
        4: "DTSTART;TZID=Nowhere/Else:20260231T250000\n",
        5: "X;" * 5_000 + ":1\n",
    }[index % 6]
    event = (f"BEGIN:VEVENT\nUID:{{}}\nDTSTART:20261123T090000Z\nRRULE:{rule}\nSUMMARY:Walk\n"
             "BEGIN:VALARM\nTRIGGER:-PT9999999999999H\nACTION:DISPLAY\nEND:VALARM\n")
    overrides = "".join(
        f"BEGIN:VEVENT\nUID:0\nRECURRENCE-ID:20261123T{n % 24:02}{n % 60:02}00Z\nEND:VEVENT\n"
        for n in range(random.choice([0, 20_000])))
    end = random.choice(["END:VEVENT\nEND:VCALENDAR\n", "END:VCALENDAR\n", ""])
    return "BEGIN:VCALENDAR\nVERSION:2.0\n" + overrides + event.format(0) + extra + end


def lines(content, random):
    """Returns damaged lines of exported events."""
    parts = content.splitlines(keepends=True)
    at = random.randrange(len(parts))
    line = bytearray(parts[at])
    parts[at] = random.choice([
        bytes(line[:random.randrange(len(line))]), b"[" * 100_000 + b"\n", b"\xff\xfe\n", b"{}\n",
        b'{"type":"' + b"x" * 2_000_000 + b'"}\n', b"\x00" * 4_096, line * 2,
        line.replace(b'"sequence":', b'"sequence":1e999999,"x":'), line.replace(b"=", b"!"),
        line.replace(b'"position":', b'"position":-'), line.replace(b"T", b"\xe2\x80\xae")])
    if random.random() < 0.3:
        random.shuffle(parts)
    return b"".join(bytes(part) for part in parts)
