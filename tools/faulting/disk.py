"""A disk that loses its power: what a journal of preload.c says was written, synced and named, and
what of it may be there afterwards."""

import dataclasses
import struct

HEAD = struct.Struct("<IIQQQIIII")
SECTOR = 512
FOLDER = object()


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


def read_journal(content, root):
    """The records of a journal; paths begin at the root."""
    records, at = [], 0
    while at < len(content):
        operation, synced, file, offset, length, first, second, count, _ = HEAD.unpack_from(
            content, at)
        at += HEAD.size
        parts = []
        for size in (first, second, count):
            parts.append(content[at:at + size])
            at += size
        path, other = (part.decode()[len(root) + 1:] for part in parts[:2])
        records.append(Record(
            chr(operation), bool(synced), file, offset, length, path, other, bytes(parts[2])))
    return records


class File:
    """What is safe of a file, and the changes since, in order."""

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
        """The bytes after a cut: without a source of chance, all that was written."""
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
                # With ordered data a file grows only once the bytes are there.
                is_kept = change.is_synced or (is_ordered and at >= before)
                if is_kept or share == 1 or (share and random.random() < share):
                    content[at:stop] = change.data[at - change.offset:stop - change.offset]
                at = stop
        return bytes(content)


class Disk:
    """Files and names as they are in memory, and what of both is safe.

    On a strict disk a name is safe once its folder was synced, and of the others any may be there.
    On an ordered one, as ext4 is, names come in order, and syncing a file brings all before it."""

    def __init__(self, files, inodes, is_ordered):
        self.is_ordered = is_ordered
        self.live = {path: FOLDER if content is None else File(content)
                     for path, content in files.items()}
        self.by_inode = {inodes[path]: file for path, file in self.live.items()
                         if file is not FOLDER}
        self.safe_names = dict(self.live)
        self.names = []

    def apply(self, record):
        kind = record.operation
        if kind in "wza":
            if record.file in self.by_inode:
                self.by_inode[record.file].changes.append(record)
        elif kind in "sd":
            self.sync(record)
        elif kind == "c":
            file = self.by_inode.get(record.file)
            # A number comes again once its file is gone.
            if file is None or not any(other is file for other in self.live.values()):
                file = self.by_inode[record.file] = File()
            self.name({record.path: file})
        elif kind == "k":
            self.name({record.path: FOLDER})
        elif kind == "u":
            self.name({record.path: None})
        elif kind == "r":
            moved = self.live[record.path]
            if moved is FOLDER:
                raise ValueError(f"a folder was renamed: {record.path}")
            self.name({record.other: moved, record.path: None})

    def name(self, changes):
        self.names.append(changes)
        take(changes, self.live)

    def sync(self, record):
        file = self.live.get(record.path)
        if not record.path:
            file = FOLDER
        if file is FOLDER:
            self.settle(lambda path: path.rpartition("/")[0] == record.path)
            return
        file = self.by_inode.get(record.file)
        if file is None:
            return
        had_grown = file.grows()
        file.sync()
        is_new = any(file in changes.values() for changes in self.names)
        if self.is_ordered and (record.operation == "s" or had_grown or is_new):
            self.settle(lambda _: True)

    def settle(self, is_meant):
        """Makes names safe: all of them on an ordered disk, else those of one folder."""
        left = []
        for changes in self.names:
            if self.is_ordered or all(is_meant(path) for path in changes):
                take(changes, self.safe_names)
            else:
                left.append(changes)
        self.names = left

    def after_cut(self, random):
        """Every file's bytes by path, and None for a folder, as they may be after a cut."""
        names = dict(self.safe_names)
        if self.is_ordered:
            kept = self.names[:random.randint(0, len(self.names))]
        else:
            share = random.choice([0, 0.5, 0.9, 1])
            kept = [changes for changes in self.names if random.random() < share]
        for changes in kept:
            take(changes, names)
        found, contents = {}, {}
        for path in sorted(names):
            folder = path.rpartition("/")[0]
            if folder and found.get(folder, b"") is not None:
                continue
            file = names[path]
            if file is FOLDER:
                found[path] = None
            else:
                if id(file) not in contents:
                    contents[id(file)] = file.after_cut(random, self.is_ordered)
                found[path] = contents[id(file)]
        return found


def take(changes, names):
    for path, file in changes.items():
        if file is None:
            names.pop(path, None)
        else:
            names[path] = file
