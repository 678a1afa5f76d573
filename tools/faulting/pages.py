"""The contents of the pages of a store's two files, in the layouts of LMDB and SQLite."""

import struct

PAGE = 4096
BRANCH, LEAF, OVERFLOW, META = 1, 2, 4, 8
NO_PAGE = 2**64 - 1


def groups_of_log(data):
    """Returns the pages of data.mdb by content: head, free, main, the databases, unused."""
    newest = max((0, 1), key=lambda number: struct.unpack_from("<Q", data, number * PAGE + 144)[0])
    base = newest * PAGE
    groups = {"head": [0, 1]}
    groups["free"] = pages_of_tree(data, root_at(data, base + 40))
    groups["main"] = pages_of_tree(data, root_at(data, base + 88))
    for page in groups["main"]:
        for key, content in entries(data, page):
            if len(content) == 48:
                groups[key.decode()] = pages_of_tree(data, root_at(content, 0))
    used = {page for pages in groups.values() for page in pages}
    groups["unused"] = [page for page in range(len(data) // PAGE) if page not in used]
    return {name: pages for name, pages in groups.items() if pages}


def root_at(data, offset):
    return struct.unpack_from("<Q", data, offset + 40)[0]


def entries(data, page):
    """Returns the keys and contents of a leaf's small entries."""
    base = page * PAGE
    flags, lower = struct.unpack_from("<HH", data, base + 10)
    if not flags & LEAF:
        return
    for index in range((lower - 16) // 2):
        at = base + struct.unpack_from("<H", data, base + 16 + 2 * index)[0]
        low, high, kind, size = struct.unpack_from("<HHHH", data, at)
        if not kind & 1:
            yield data[at + 8:at + 8 + size], data[at + 8 + size:at + 8 + size + low + (high << 16)]


def pages_of_tree(data, root):
    if root == NO_PAGE:
        return []
    found, waiting = [], [root]
    while waiting:
        page = waiting.pop()
        found.append(page)
        base = page * PAGE
        flags, lower = struct.unpack_from("<HH", data, base + 10)
        if flags & BRANCH:
            for index in range((lower - 16) // 2):
                at = base + struct.unpack_from("<H", data, base + 16 + 2 * index)[0]
                low, high, top = struct.unpack_from("<HHH", data, at)
                waiting.append(low | high << 16 | top << 32)
    return sorted(found)


def groups_of_tables(data):
    """Returns the pages of the projections' file, and separately the first, with the header."""
    return {"first": [0], "rest": list(range(1, len(data) // PAGE))}
