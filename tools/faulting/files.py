"""files: a file of a store is cut, overwritten, removed, replaced, linked or made a folder, while
the store is closed or under a running follower.

After a cut or an overwritten part of the log or the projections, every verb that reads must answer
as before or report the damage, or verify must report it; and a sync with an intact replica, and a
clone, must transfer everything or report that they did not. After all other changes, which may
leave another valid store, verbs must end with a typed error or work. In no case may the intact
replica lose events."""

import itertools
import os
import random as chance
import shutil

from faulting import flips
from faulting.running import Finding, judge
from faulting.verbs import ids

COUNT = 40
NEEDS_PRELOAD = False

SECTOR = 512
# What is done to a file: some changes damage it, the others may leave another valid store.
DAMAGES = ("cut", "overwrite")
CHANGES = (*DAMAGES, "remove", "older", "swap", "link", "symlink", "folder")


class Campaign(flips.Campaign):
    def __init__(self, place, options):
        super().__init__(place, options)
        self.kept = place.root.parent / "kept"
        self.names = sorted(
            path for path, content in place.files.items()
            if path.startswith("phone/") and content)

    def tries(self, random, count):
        """Returns each change in turn. Each sector is damaged once before one is damaged again."""
        sectors = [(path, sector) for path in (self.log, self.tables)
                   for sector in range(len(self.place.files[path]) // SECTOR)]
        damaged = {change: itertools.cycle(random.sample(sectors, len(sectors)))
                   for change in DAMAGES}
        names = []
        for index in range(count):
            change = CHANGES[index % len(CHANGES)]
            path, sector = random.choice(self.names), 0
            if change in DAMAGES:
                path, sector = next(damaged[change])
            follows = "follower" if random.random() < 0.25 else "closed"
            names.append(f"{change}:{path.removeprefix('phone/')}:{sector}:{follows}"
                         f":{random.randrange(10**6)}")
        return names

    def attempt(self, name):
        self.place.restore()
        try:
            return self.findings(*name.split(":"))
        finally:
            self.put_back(name.split(":")[1])

    def findings(self, change, name, sector, state, order):
        sector, random = int(sector), chance.Random(int(order))
        make = lambda: self.change(change, f"phone/{name}", sector, random)  # noqa: E731
        if state == "follower":
            return self.under_a_follower(random.choice(flips.FOLLOWERS), make) + self.still_held()
        if change == "older":
            self.place.run("done", "Walk")
        make()
        verbs = list(flips.READING)
        random.shuffle(verbs)
        if change in DAMAGES:
            findings = [finding for verb in verbs for finding in self.compare(verb)]
            return findings + random.choice([self.after_sync, self.after_clone])()
        findings = []
        for words in [*(flips.READING[verb] for verb in verbs), ("done", "Walk"), ("rebuild",),
                      ("compact",), ("sync", "{phone}", "{watch}")]:
            findings += judge(self.place.run(*words))
        return findings + self.still_held()

    def change(self, change, path, sector, random):
        """Changes a file, as another program or a bad disk may."""
        file, content = self.place.path(path), self.place.files[path]
        if change == "cut":
            os.truncate(file, sector * SECTOR)
        elif change == "overwrite":
            text = random.choice([bytes(SECTOR), random.randbytes(SECTOR)])
            with open(file, "r+b") as output:
                output.seek(sector * SECTOR)
                output.write(text[:len(content) - sector * SECTOR])
        elif change == "link":
            os.link(file, file.with_name("a link"))
        else:
            self.replace(change, file, path, content)

    def replace(self, change, file, path, content):
        """Replaces a file by another one, or by nothing."""
        # The identity of a store depends on the inode, so the file itself is kept.
        file.rename(self.kept)
        try:
            self.put_other(change, file, path, content)
        except FileExistsError:
            # A follower created the file again in between, so it was only removed.
            pass

    def put_other(self, change, file, path, content):
        if change == "older":
            file.write_bytes(content)
        elif change == "swap":
            other = self.place.path(path.replace("phone/", "watch/"))
            file.write_bytes(other.read_bytes() if other.exists() else b"another file")
        elif change == "symlink":
            target = self.place.path("moved")
            target.write_bytes(content)
            file.symlink_to(target)
        elif change == "folder":
            file.mkdir()

    def put_back(self, name):
        file = self.place.path(f"phone/{name}")
        if not self.kept.exists():
            return
        if file.is_dir():
            shutil.rmtree(file)
        self.kept.replace(file)

    def still_held(self):
        """Expects the intact replica to have all its events."""
        log = self.place.run("log", store="watch")
        missing = self.place.held["watch"] - ids(log.output)
        return judge(log) + (
            [Finding("lost", f"the intact replica lacks {len(missing)} events")] if missing else [])
