"""A disk that loses power: the writes, syncs and renames in a journal of preload.c, and what may be
on the disk afterwards."""

import dataclasses
import struct

HEAD = struct.Struct("<IIQQQIIII")
SECTOR = 512


@dataclasses.dataclass(frozen=True)
class Record:
    """One change: w write, z truncate, a allocate, s and d sync, c create, k folder, u remove,
    r rename."""

    operation: str
    is_synced: bool
    file: int
    offset: int
    length: int
    path: str
    other: str
    data: bytes
    # The bytes of the record in the journal.
    size: int


def read_journal(content, root):
    """The records of a journal, with absolute paths."""
    records, at = [], 0
    while at < len(content):
        begin = at
        operation, synced, file, offset, length, first, second, count, _ = HEAD.unpack_from(
            content, at)
        at += HEAD.size
        parts = []
        for size in (first, second, count):
            parts.append(content[at:at + size])
            at += size
        path, other = (part.decode()[len(root) + 1:] for part in parts[:2])
        records.append(Record(
            chr(operation), bool(synced), file, offset, length, path, other, bytes(parts[2]),
            at - begin))
    return records


class File:
    """The durable contents of a file, and the later changes in order."""

    def __init__(self, content=b""):
        self.safe, self.changes = content, []

    def sync(self):
        self.safe = self.after_cut(None, True)
        self.changes = []

    def grows(self):
        """Whether a change since the last sync alters the size."""
        return any(change.operation in "za" or change.offset + change.length > len(self.safe)
                   for change in self.changes)

    def after_cut(self, random, is_ordered):
        """Returns the bytes after a power cut; without a random source, all that was written."""
        content = bytearray(self.safe)
        least = 1 + max((index for index, change in enumerate(self.changes) if change.is_synced),
                        default=-1)
        sized = len(self.changes) if random is None else random.randint(least, len(self.changes))
        share = 1 if random is None else random.choice([0, 0.1, 0.5, 0.9, 1])
        for index, change in enumerate(self.changes):
            has_size = index < sized
            end = change.offset + change.length
            if change.operation == "z":
                if has_size:
                    del content[change.length:]
                    content.extend(bytes(change.length - len(content)))
                continue
            before = len(content)
            if has_size and end > before:
                content.extend(bytes(end - before))
            if change.operation != "w":
                continue
            at = change.offset
            while at < min(end, len(content)):
                stop = min((at // SECTOR + 1) * SECTOR, end, len(content))
                # With ordered data, a file grows only after its bytes were written.
                is_kept = change.is_synced or (is_ordered and at >= before)
                if is_kept or share == 1 or (share and random.random() < share):
                    content[at:stop] = change.data[at - change.offset:stop - change.offset]
                at = stop
        return bytes(content)


class Folder:
    """The names in a folder: the durable ones, and those in memory."""

    def __init__(self):
        self.safe, self.live = {}, {}


class Disk:
    """The files and names in memory, and which of them are durable.

    On a strict disk, a name is durable once its folder was synced, and each other name may be there
    or not. On an ordered one, such as ext4, names become durable in order, and syncing a file makes
    all earlier names durable."""

    def __init__(self, files, inodes, is_ordered):
        self.is_ordered, self.root = is_ordered, Folder()
        self.by_inode = {}
        # The changes that are not durable, in order: lists of folder, name and new target.
        self.names = []
        for path in sorted(files):
            made = Folder() if files[path] is None else File(files[path])
            folder, name = self.at(path)
            folder.safe[name] = folder.live[name] = made
            self.by_inode[inodes[path]] = made

    def at(self, path):
        """Returns the folder of a path, and its name there."""
        *folders, name = path.split("/")
        folder = self.root
        for part in folders:
            folder = folder.live[part]
        return folder, name

    def apply(self, record):
        kind = record.operation
        if kind in "wza":
            if isinstance(self.by_inode.get(record.file), File):
                self.by_inode[record.file].changes.append(record)
        elif kind in "sd":
            self.sync(record)
        elif kind == "c":
            file = self.by_inode.get(record.file)
            # An inode number is used again after its file was removed.
            if not isinstance(file, File) or file not in all_of(self.root):
                file = self.by_inode[record.file] = File()
            self.name((record.path, file))
        elif kind == "k":
            folder = self.by_inode[record.file] = Folder()
            self.name((record.path, folder))
        elif kind == "u":
            self.name((record.path, None))
        elif kind == "r":
            folder, name = self.at(record.path)
            self.name((record.other, folder.live[name]), (record.path, None))

    def name(self, *changes):
        changes = [(*self.at(path), what) for path, what in changes]
        self.names.append(changes)
        for folder, name, what in changes:
            take(folder.live, name, what)

    def sync(self, record):
        synced = self.by_inode.get(record.file) if record.path else self.root
        if isinstance(synced, Folder):
            self.settle(synced)
        elif synced is not None:
            had_grown = synced.grows()
            synced.sync()
            is_new = any(what is synced for changes in self.names for _, _, what in changes)
            if self.is_ordered and (record.operation == "s" or had_grown or is_new):
                self.settle(self.root)

    def settle(self, synced):
        """Makes names durable: all of them on an ordered disk, else those of one folder."""
        left = []
        for changes in self.names:
            if self.is_ordered or all(folder is synced for folder, _, _ in changes):
                for folder, name, what in changes:
                    take(folder.safe, name, what)
            else:
                left.append(changes)
        self.names = left

    def after_cut(self, random):
        """Returns every file's bytes by path, and None for folders, as they may be after a cut."""
        if self.is_ordered:
            kept = self.names[:random.randint(0, len(self.names))]
        else:
            share = random.choice([0, 0.5, 0.9, 1])
            kept = [changes for changes in self.names if random.random() < share]
        entries = {}
        for changes in kept:
            for folder, name, what in changes:
                take(entries.setdefault(id(folder), dict(folder.safe)), name, what)
        found, contents = {}, {}
        waiting = [("", self.root)]
        while waiting:
            path, folder = waiting.pop()
            for name, what in sorted(entries.get(id(folder), folder.safe).items()):
                inner = f"{path}/{name}" if path else name
                if isinstance(what, Folder):
                    found[inner] = None
                    waiting.append((inner, what))
                    continue
                if id(what) not in contents:
                    contents[id(what)] = what.after_cut(random, self.is_ordered)
                found[inner] = contents[id(what)]
        return found

    def written(self):
        """Returns every file's bytes by path, and None for folders, as they are in memory."""
        found, waiting = {}, [("", self.root)]
        while waiting:
            path, folder = waiting.pop()
            for name, what in folder.live.items():
                inner = f"{path}/{name}" if path else name
                if isinstance(what, Folder):
                    found[inner] = None
                    waiting.append((inner, what))
                else:
                    found[inner] = what.after_cut(None, True)
        return found


def all_of(folder):
    """Returns the files that have a name."""
    found = []
    for what in folder.live.values():
        found += all_of(what) if isinstance(what, Folder) else [what]
    return found


def take(names, name, what):
    if what is None:
        names.pop(name, None)
    else:
        names[name] = what
