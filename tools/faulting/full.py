"""full: a full disk, a read-only disk, and a store of another user.

A small private disk, a tmpfs or an ext4 with blocks of 1 KiB, is filled except for some pages, with
or without the log's lock file, which a restored copy lacks. No verb may be killed by a signal. A
verb that cannot write must end with the code `full` and change nothing, verbs that read must still
work, and all must work once there is space. On a read-only disk and without permission, verbs must
read, or report why they cannot."""

import errno
import os
import shutil
import subprocess
import time

from faulting.places import Place
from faulting.running import Finding, can_start, judge
from faulting.verbs import READING, VERBS, ids

COUNT = 60
NEEDS_PRELOAD = False
# The mounts are private, and end with this process.
NEEDS_MOUNTS = True

PAGE = 4096
BYTES = 24 << 20
# With this much space, every verb here succeeds.
ENOUGH = 160
# The verbs that only read, which must always work.
READERS = READING + ["export"]
REFUSED = {73, 74, 77}
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")


def prepare(folder):
    """Mounts the small tmpfs."""
    folder.mkdir()
    folder.parent.chmod(0o711)
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={BYTES},mode=0755", "carillon-faults", folder],
        check=True)


def mount_ext4(folder):
    """Mounts a small ext4 in a file, and returns whether that is permitted here."""
    if os.geteuid() != 0 or not shutil.which("mkfs.ext4"):
        return False
    folder.mkdir()
    image = folder.with_suffix(".img")
    with open(image, "wb") as file:
        file.truncate(2 * BYTES)
    make = ["mkfs.ext4", "-q", "-b", "1024", "-m", "0", image]
    return all(subprocess.run(words, stderr=subprocess.DEVNULL, check=False).returncode == 0
               for words in (make, ["mount", "-o", "loop", image, folder]))


def remount(disk, mode):
    """Remounts a disk. A process that another try starts at this moment may have a file there open
    until it runs its program, and the disk is busy until then."""
    end = time.monotonic() + 10
    while subprocess.run(
            ["mount", "-o", f"remount,{mode}", disk], check=time.monotonic() > end).returncode != 0:
        time.sleep(0.05)


class Campaign:
    def __init__(self, place, options):
        self.places = {"tmpfs": place}
        tmpfs = place.root.parent
        ext4 = tmpfs.with_name(tmpfs.name + "-ext4")
        if mount_ext4(ext4):
            self.places["ext4"] = Place(ext4, place.runner, place.preloaded, place.storage)
        else:
            print("no ext4 can be mounted here: those tries are skipped")
        self.use(place)
        self.can_be_nobody = can_start(NOBODY, options.carillon)
        if not self.can_be_nobody:
            print("no other user can start the program here: those tries are skipped")

    def use(self, place):
        self.place, self.disk = place, place.root.parent
        self.ballast = self.disk / "ballast"

    def tries(self, random, count):
        verbs, readers, disks = list(VERBS), list(READERS), list(self.places)
        names = []
        for index in range(count):
            verb, disk = random.choice(verbs), random.choice(disks)
            lock = random.choice(["lock", "lock", "no-lock"])
            if index % 8 == 3:
                name = f"read-only:{verb}:{lock}"
            elif index % 8 == 6 and self.can_be_nobody:
                mode = random.choice(["closed", "open"])
                name = f"stranger:{random.choice(readers + [verb])}:{mode}"
            elif index % 8 == 0:
                name = f"room:{random.choice(readers)}:{random.randrange(4)}:{lock}"
            else:
                name = f"room:{verb}:{int(random.random() ** 2 * ENOUGH)}:{lock}"
            names.append(f"{name}:{disk}")
        return names

    def attempt(self, name):
        how, verb, *rest, disk = name.split(":")
        verb = VERBS[verb]
        self.use(self.places[disk])
        self.place.restore()
        for store in ("phone", "watch"):
            lock = self.place.path(store) / "log" / "lock.mdb"
            if rest[-1] == "no-lock":
                lock.unlink(missing_ok=True)
            elif not lock.exists():
                self.place.must("status", store=store)
        if how == "read-only":
            return self.on_read_only(verb)
        if how == "stranger":
            return self.by_a_stranger(verb, rest[0] == "open")
        return self.with_room(verb, int(rest[0]))

    def with_room(self, verb, pages):
        try:
            self.leave(pages)
            answer = self.place.run_verb(verb)
        finally:
            self.ballast.unlink(missing_ok=True)
        findings = judge(answer)
        if not findings and answer.status != 0:
            code = (answer.error() or {}).get("code")
            if verb.name in READERS:
                findings.append(Finding("wrong", f"cannot be read with {pages} pages: {answer}"))
            elif code != "full":
                findings.append(Finding("wrong", f"not full, with {pages} pages: {answer}"))
        return findings + self.all_read(verb, answer) + self.place.follow_up(verb, answer)

    def leave(self, pages):
        """Fills the disk except for some pages."""
        status = os.statvfs(self.disk)
        room = status.f_bavail * status.f_frsize - pages * PAGE
        with open(self.ballast, "wb") as file:
            # An ext4 may need some of the last blocks to list the others.
            for unlisted in range(4):
                try:
                    return os.posix_fallocate(file.fileno(), 0, room - unlisted * PAGE)
                except OSError as problem:
                    if problem.errno != errno.ENOSPC:
                        raise
        raise RuntimeError("the disk cannot be filled")

    def all_read(self, verb, answer):
        """Expects verbs that print the log to print all of it."""
        if verb.name in ("log", "export") and answer.status == 0:
            if ids(answer.output) != self.place.held["phone"]:
                return [Finding("wrong", f"not everything was printed: {answer}")]
        return []

    def on_read_only(self, verb):
        remount(self.disk, "ro")
        try:
            answer = self.place.run_verb(verb)
        finally:
            remount(self.disk, "rw")
        allowed = {0} if verb.name in READERS else {0} | REFUSED
        return (judge(answer, allowed) + self.all_read(verb, answer)
                + self.place.follow_up(verb, answer))

    def by_a_stranger(self, verb, is_open):
        """Runs verbs as another user, without permission, or with permission to read only."""
        before = modes(self.place.root)
        for path in before:
            path.chmod((0o755 if path.is_dir() else 0o644) if is_open else
                       (0o700 if path.is_dir() else 0o600))
        self.place.root.chmod(0o755)
        try:
            answer = self.place.run_verb(verb, wrapper=NOBODY)
        finally:
            for path, mode in before.items():
                path.chmod(mode)
        # LMDB's readers write in its lock file.
        allowed = {0, 66} | REFUSED
        return (judge(answer, allowed) + self.all_read(verb, answer)
                + self.place.follow_up(verb, answer))


def modes(root):
    """Returns the permissions of everything below a folder."""
    return {path: path.stat().st_mode & 0o7777 for path in root.rglob("*")}
