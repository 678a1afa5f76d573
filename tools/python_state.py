"""The merged state of a log, with only Python's standard library: the kinds, merge rules, erasure
and state digest of protocol/EVENTS.md. Used by tools/python-replica.

Payloads are checked as far as the state needs it: every kind and its required fields, the lengths
of IDs, names of enumerations and UTF-8, but only those limits of texts and counts that are named
below.
"""

import hashlib
import struct

DOMAIN = b"carillon.state.v9"
KEPT_FACTS = 1_000
# The numbers in `edit` of what is no field of a habit; a note has FIRST_NOTE plus its date.
ARCHIVED, DELETED, REMOVED, FIRST_NOTE = 20, 21, 64, 1_000
GREATEST = b"\xff" * 32


class Unreadable(Exception):
    """A payload that cannot be read."""


def wire(data, spans=None):
    """Returns the fields of a message in order: (number, value); a value is a number or bytes.

    Adds to `spans` each field's number and bytes, with its tag."""
    offset = 0

    def varint():
        nonlocal offset
        value = shift = 0
        while True:
            if offset >= len(data) or shift > 63:
                raise Unreadable("a number is cut off")
            byte = data[offset]
            offset += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value & (2**64 - 1)
            shift += 7

    found = []
    while offset < len(data):
        start, tag = offset, varint()
        if tag & 7 == 0:
            found.append((tag >> 3, varint()))
            if spans is not None:
                spans.append((tag >> 3, data[start:offset]))
            continue
        count = {1: 8, 5: 4}.get(tag & 7) or (varint() if tag & 7 == 2 else None)
        if count is None or tag >> 3 == 0 or offset + count > len(data):
            raise Unreadable("not protobuf")
        if tag & 7 == 2:
            found.append((tag >> 3, bytes(data[offset:offset + count])))
        offset += count
        if spans is not None:
            spans.append((tag >> 3, data[start:offset]))
    return found


class Message:
    """A message's fields by number; if a field occurs again, the last value counts."""

    def __init__(self, data):
        self.bytes, self.all = data, wire(data)

    def every(self, number, kind=bytes):
        return [value for key, value in self.all if key == number and isinstance(value, kind)]

    def last(self, number, kind):
        values = self.every(number, kind)
        return values[-1] if values else None

    def number(self, number, default=0):
        value = self.last(number, int)
        return default if value is None else value

    def int64(self, number, default=None):
        value = self.last(number, int)
        return default if value is None else value - 2**64 if value >= 2**63 else value

    def sint(self, number, default=None):
        value = self.last(number, int)
        return default if value is None else (value >> 1) ^ -(value & 1)

    def data(self, number, length=None):
        value = self.last(number, bytes)
        if value is not None and length is not None and len(value) != length:
            raise Unreadable(f"field {number} has {len(value)} bytes instead of {length}")
        return value

    def text(self, number, least=0, most=16_384):
        values = self.every(number)
        # A text that a later one replaces must be UTF-8 too, but may have any length.
        for value in values:
            try:
                value.decode("utf-8")
            except UnicodeDecodeError as error:
                raise Unreadable("text that is not UTF-8") from error
        if not values:
            return None
        if not least <= len(values[-1]) <= most:
            raise Unreadable(f"a text of {len(values[-1])} bytes")
        return Text(values[-1])

    def name(self, number, names, default=None):
        value = self.last(number, int)
        if value is None:
            return default
        if not 0 <= value < len(names) or names[value] is None:
            raise Unreadable(f"unknown enumeration value {value}")
        return Text(names[value].encode())


class Text(bytes):
    """UTF-8 text, as a type of its own."""


def need(value):
    if value is None:
        raise Unreadable("a required field is missing")
    return value


def ident(message, number):
    return need(message.data(number, 16))


KINDS, DIRECTIONS = ("yesNo", "count"), ("atLeast", "atMost")
OWNERS = ("phoneFirst", "phone", "watch", "both")
PERIODS = (None, "day", "week", "month", "rolling")
ROLES = (None, "phone", "tablet", "watch", "desktop", "server")
STATUSES = ("notDetermined", "denied", "authorized", "provisional", "ephemeral")
MARKS, STEPS, OUTCOMES = ("clear", "skip", "no"), (None, "primed", "prompted"), (
    "unknown", "yes", "no")
REASONS = (None, "fetch", "push", "refresh", "launch")
RESULTS = (None, "newData", "noData", "failed")
PUSHES = (None, "alert", "background", "both", "malformed")
FIELDS = range(2, 15)
NEVER_CLEARED = {2, 3, 6, 8}
SCHEDULE_TEXTS, SCHEDULE_NUMBERS, RULES = (4, 7, 8, 9, 10), (6, 13), range(32, 48)


def habit_fields(message):
    """Field numbers and values: texts, numbers, or None for a cleared field."""
    found = {}
    for number in FIELDS:
        if number == 11:
            parts = message.every(11)
            if parts:
                goal = Message(b"".join(parts))
                period = goal.number(3) and goal.name(3, PERIODS).decode()
                is_rolling = period in (0, "rolling")
                days = f"{goal.number(2)}d" if is_rolling else period
                found[11] = Text(f"{goal.number(1)}/{days}".encode())
                if not 1 <= goal.number(1) <= 1_000 or is_rolling and not (
                        1 <= goal.number(2) <= 366):
                    raise Unreadable("a goal out of range")
            continue
        value = {
            3: lambda: message.name(3, KINDS), 5: lambda: message.int64(5),
            6: lambda: message.name(6, DIRECTIONS), 8: lambda: message.name(8, OWNERS),
            9: lambda: message.sint(9), 10: lambda: message.sint(10),
            13: lambda: message.text(13, 0, 2_000), 14: lambda: message.sint(14),
        }.get(number, lambda: message.text(number, int(number == 2), 200))()
        if value is not None:
            found[number] = value
    for number in numbers(message, 15):
        if number in NEVER_CLEARED or found.get(number) is not None:
            raise Unreadable("a field that cannot be cleared")
        if number in FIELDS:
            found[number] = None
    return found


def replaced(message, number):
    """The IDs of the events that an event replaces or had seen, concatenated."""
    events = message.every(number)
    if len(events) > 32 or any(len(event) != 32 for event in events):
        raise Unreadable("an edit replaces at most 32 events")
    return b"".join(events)


def schedule_fields(message):
    """Field numbers, 32 for every rule, and bytes with tags, or None for a cleared field."""
    spans = []
    wire(message.bytes, spans)
    written = {number for number in SCHEDULE_TEXTS if message.text(number) is not None}
    written |= {number for number in SCHEDULE_NUMBERS if message.last(number, int) is not None}
    written |= {number for number in (5, 14, 15) if message.number(number) & 0xFFFF_FFFF}
    written |= {number for number in (11, 12) if message.every(number)}
    written |= {3} if numbers(message, 3) else set()
    found = {number: b"".join(span for key, span in spans if key == number) for number in written}
    if any(message.every(number) for number in RULES):
        found[32] = b"".join(span for key, span in spans if key in RULES)
    for number in numbers(message, 16):
        if 3 <= number <= 15:
            if any(key == number for key, _ in message.all):
                raise Unreadable("a field that is both set and cleared")
            found[number] = None
    return found


def numbers(message, number):
    """A repeated number, packed or unpacked."""
    found = []
    for key, value in message.all:
        if key != number:
            continue
        if isinstance(value, int):
            found.append(value)
            continue
        # A packed column is a sequence of varints.
        rest = value
        while rest:
            count = next((i for i, byte in enumerate(rest) if byte < 0x80), None)
            if count is None:
                raise Unreadable("a number is cut off")
            found.append(sum((byte & 0x7F) << 7 * i for i, byte in enumerate(rest[:count + 1])))
            rest = rest[count + 1:]
    return found


class Payload:
    """A payload: its kind and that kind's message; the message of an unknown kind is None."""

    def __init__(self, data):
        fields = wire(data)
        if not fields:
            raise Unreadable("the payload has no kind")
        self.bytes, self.kind = data, fields[-1][0]
        if not isinstance(fields[-1][1], bytes):
            raise Unreadable("a kind is not a message")
        parts = []
        for number, value in fields:
            if number != self.kind:
                parts = []
            elif isinstance(value, bytes):
                parts.append(value)
        self.message = Message(b"".join(parts)) if 1 <= self.kind <= 30 else None
        if self.message is not None:
            check = getattr(self, f"check{self.kind}", None)
            if check:
                check(self.message)

    def check1(self, message):
        if habit_fields(message).get(2) is None:
            raise Unreadable("a habit without a title")

    def check6(self, message):
        rules = [(key, value) for key, value in message.all
                 if key in RULES and isinstance(value, bytes)]
        # A rule of a later version may have any bytes.
        kind, rule = rules[-1] if rules else (None, None)
        schedule_fields(message)
        if kind == 36 and not 60 <= Message(rule).number(1) <= 31_536_000:
            raise Unreadable("an interval out of range")

    # What the payload names, from which it follows what erasures cover.

    @property
    def subject(self):
        """(1 occurrence, 2 item, 3 push; its message) of a receipt or a response."""
        found = [(key, value) for key, value in self.message.all
                 if key in (1, 2, 3) and isinstance(value, bytes)]
        if not found:
            raise Unreadable("no subject")
        kind = found[-1][0]
        return kind, Message(b"".join(value for key, value in found if key == kind))

    @property
    def is_receipt(self):
        return self.kind in (14, 15)

    @property
    def habit(self):
        if self.kind in (*range(1, 9), 10, 12, 29):
            return ident(self.message, 1)
        if self.kind == 11:
            return self.message.data(2, 16)
        if self.is_receipt and self.subject[0] == 1:
            return ident(self.subject[1], 1)
        return None

    @property
    def source(self):
        if self.kind == 13:
            return need(self.message.text(1, 1, 200))
        if self.is_receipt and self.subject[0] == 2:
            return need(self.subject[1].text(1, 1, 200))
        return None

    @property
    def erasure(self):
        """(scope, subject, up to) of a `data.erased`; up to is None for all."""
        if self.kind != 27 or self.message is None:
            return None
        habit, receipts = self.message.data(1, 16), self.message.data(3, 16)
        source, last = self.message.text(2, 1, 200), self.message.data(4, 32)
        if sum(value is not None for value in (habit, source, receipts)) != 1:
            raise Unreadable("an erasure must name exactly one thing")
        if habit is not None and last is not None:
            raise Unreadable("a habit can only be erased completely")
        return ((1, habit, None) if habit is not None else (2, source, last)
                if source is not None else (3, receipts, last))


def covers(erasure, payload, event_id):
    """Whether an erasure covers an event."""
    scope, subject, last = erasure
    if payload.message is None or event_id > (last or GREATEST):
        return False
    if scope == 2:
        return payload.source == subject
    return payload.habit == subject and (scope == 1 or payload.is_receipt)


def read(data):
    """Returns the payload, or None if it cannot be read."""
    try:
        payload = Payload(data)
        _ = payload.message and (payload.habit, payload.source, payload.erasure)
        return payload
    except Unreadable:
        return None


# Tables in the order of the digest: name and the number of key columns.
TABLES = (
    ("habit", 1), ("habit_field", 2), ("habit_archived", 1), ("habit_delete", 2), ("schedule", 2),
    ("schedule_created", 2), ("schedule_field", 3), ("edit", 4),
    ("pause", 2), ("entry", 4), ("entry_void", 2),
    ("day_mark", 2), ("note", 2), ("activity", 1), ("device", 1), ("permission", 2),
    ("permission_asked", 2),
    ("alerts", 2), ("device_set", 2), ("item", 4), ("receipt", 4), ("response", 4), ("wake", 2),
    ("push_token", 2),
    ("push", 1), ("import_file", 1), ("snooze", 5), ("setting", 1), ("setting_edit", 2),
    ("submission", 1), ("erasure", 1))


class State:
    """The rows of all tables: from keys to values, both tuples."""

    def __init__(self, events):
        """`events`: (ID, replica, payload) of each, in any order; the payload is None if it is
        erased or missing."""
        self.rows = {name: {} for name, _ in TABLES}
        read_events = [(event_id, replica, read(data)) for event_id, replica, data in events
                       if data is not None and milliseconds(event_id) < 1 << 45]
        readable = [event for event in read_events if event[2] and event[2].message is not None]
        erasures = [(event_id, payload.erasure) for event_id, _, payload in readable
                    if payload.kind == 27]
        for event_id, replica, payload in sorted(readable, key=lambda event: event[0]):
            if not any(covers(erasure, payload, event_id) for _, erasure in erasures):
                try:
                    rows = list(getattr(self, f"kind{payload.kind}")(event_id, replica, payload))
                except Unreadable:
                    continue
                for table, key, values in rows:
                    self.rows[table][key] = values
        for table in ("item", "receipt", "response", "permission"):
            self.trim(table)

    def trim(self, table):
        """Keeps only the newest facts of each source and writing replica."""
        scopes = {}
        for key in self.rows[table]:
            length = {"permission": 1, "item": 2}.get(table, 3)
            scope, fact = key[:length], key[length:]
            scopes.setdefault(scope, []).append(fact)
        for scope, facts in scopes.items():
            for fact in sorted(facts)[:-KEPT_FACTS]:
                del self.rows[table][scope + fact]

    # Each kind's rows: (table, key, values). Events are applied by ascending ID, so the last write
    # to a register has the greatest ID.

    def kind1(self, event, replica, payload):
        habit = ident(payload.message, 1)
        if (habit,) not in self.rows["habit"]:
            yield "habit", (habit,), (event,)
        replaced(payload.message, 16)
        for field, value in habit_fields(payload.message).items():
            yield "habit_field", (habit, field), (event, value)

    def kind2(self, event, _, payload):
        habit, replaces = ident(payload.message, 1), replaced(payload.message, 16)
        for field, value in habit_fields(payload.message).items():
            yield "habit_field", (habit, field), (event, value)
            if replaces:
                yield "edit", (habit, b"", field, event), (value, replaces)

    def kind3(self, event, _, payload):
        habit, archived = ident(payload.message, 1), int(payload.message.number(2) != 0)
        replaces = replaced(payload.message, 3)
        yield "habit_archived", (habit,), (event, archived)
        if replaces:
            yield "edit", (habit, b"", ARCHIVED, event), (archived, replaces)

    def kind4(self, event, _, payload):
        key, replaces = (ident(payload.message, 1), event), replaced(payload.message, 2)
        yield "habit_delete", key, (1, self.rows["habit_delete"].get(key, (0, 0))[1])
        if replaces:
            yield "edit", (key[0], b"", DELETED, event), (None, replaces)

    def kind5(self, _, __, payload):
        deletes = [delete for delete in payload.message.every(2)]
        if not 1 <= len(deletes) <= 100 or any(len(delete) != 32 for delete in deletes):
            raise Unreadable("the number of deletes is not 1 to 100")
        for delete in deletes:
            key = (ident(payload.message, 1), delete)
            yield "habit_delete", key, (self.rows["habit_delete"].get(key, (0, 0))[0], 1)

    def kind6(self, event, _, payload):
        key = (ident(payload.message, 1), ident(payload.message, 2))
        yield "schedule", key, (event, 0)
        if key not in self.rows["schedule_created"]:
            yield "schedule_created", key, (event,)
        replaces = replaced(payload.message, 17)
        for number, value in schedule_fields(payload.message).items():
            yield "schedule_field", (*key, number), (event, value)
            if replaces:
                yield "edit", (*key, number, event), (value, replaces)

    def kind7(self, event, _, payload):
        key = (ident(payload.message, 1), ident(payload.message, 2))
        replaces = replaced(payload.message, 3)
        yield "schedule", key, (event, 1)
        if replaces:
            yield "edit", (*key, REMOVED, event), (None, replaces)

    def kind8(self, event, _, payload):
        said = payload.message
        habit, day, kind = ident(said, 1), need(said.sint(2)), said.number(3)
        if kind == 0:
            rest = habit + struct.pack(">i", day)
        elif kind == 1:
            rest = habit + ident(said, 4) + struct.pack(">iH", day, said.number(5))
        elif kind == 2:
            source = need(said.text(6, 1, 200))
            rest = struct.pack(">H", len(source)) + source + habit + struct.pack(">i", day)
        elif kind == 3:
            rest = event
        else:
            raise Unreadable("an entry has an unknown kind")
        entry = hashlib.sha256(b"carillon.entry.v1" + bytes([kind]) + rest).digest()[:16]
        values = (said.int64(7, 1_000), said.int64(8, milliseconds(event)), said.text(9, 0, 2_000))
        yield "entry", (habit, day, entry, event), values

    def kind9(self, _, __, payload):
        for item in payload.message.every(1):
            item = Message(item)
            recordings = item.every(2)
            if any(len(recording) != 32 for recording in recordings):
                raise Unreadable("a recording is no event ID")
            for recording in recordings:
                yield "entry_void", (ident(item, 1), recording), ()

    def kind10(self, event, _, payload):
        said = payload.message
        first = need(said.sint(2))
        last = said.sint(3, first)
        if not 1 <= last - first + 1 <= 400:
            raise Unreadable("the number of days is not 1 to 400")
        for day in range(first, last + 1):
            yield "day_mark", (ident(said, 1), day), (event, said.name(4, MARKS, Text(b"clear")))

    def kind11(self, event, _, payload):
        said = payload.message
        key = (ident(said, 1), said.data(2, 16) or b"")
        yield "pause", key, (event, need(said.sint(3)), said.sint(4))

    def kind12(self, event, _, payload):
        said = payload.message
        key = (ident(said, 1), ident(said, 2), need(said.sint(3)), said.number(4), said.number(5))
        yield "snooze", key, (event, said.int64(6), int(said.number(7) != 0))

    def kind13(self, event, replica, payload):
        for place, item in enumerate(payload.message.every(2)):
            item = Message(item)
            yield "item", (payload.source, replica, event, place), (
                need(item.text(1, 1, 256)), item.text(2, 1, 256) or Text(b"0"),
                item.text(3, 0, 200))

    def kind14(self, event, replica, payload):
        said = payload.message
        key, values = fact(event, replica, payload)
        state = said.number(5)
        if not 1 <= state <= 6:
            raise Unreadable("a receipt has no valid state")
        yield "receipt", key, values + (state, said.int64(6, milliseconds(event)), said.int64(7))

    def kind15(self, event, replica, payload):
        said = payload.message
        key, values = fact(event, replica, payload)
        yield "response", key, values + (
            need(said.text(5, 1, 64)), said.text(6, 0, 2_000), said.int64(7, milliseconds(event)))

    def kind16(self, event, replica, payload):
        said = payload.message
        yield "submission", (replica,), (
            event, said.number(1), said.number(2), said.number(3), need(said.data(4, 32)),
            said.int64(5), said.number(6), said.number(7), said.int64(8, milliseconds(event)))

    def kind17(self, _, replica, payload):
        day = need(payload.message.sint(1))
        yield "activity", (replica,), (max(day, *self.rows["activity"].get((replica,), (day,))),)

    def kind18(self, event, replica, payload):
        said = payload.message
        yield "wake", (replica, need(said.name(1, REASONS))), (
            event, need(said.name(2, RESULTS)), said.number(3))

    def kind19(self, event, replica, payload):
        said = payload.message
        status = said.name(1, STATUSES, Text(b"notDetermined"))
        yield "permission", (replica, event), (
            status, said.number(2), said.int64(3, milliseconds(event)))

    def kind20(self, event, replica, payload):
        said = payload.message
        yield "permission_asked", (replica, event), (
            need(said.name(1, STEPS)), said.name(2, OUTCOMES, Text(b"unknown")))

    def kind21(self, event, _, payload):
        said = payload.message
        for number, name in ((2, b"alerts"), (3, b"badge"), (4, b"sound")):
            value = said.last(number, int)
            if value is not None:
                yield "alerts", (ident(said, 1), Text(name)), (event, int(value != 0))

    def kind22(self, event, replica, payload):
        said = payload.message
        token, error = said.data(2), said.text(3, 1, 1_000)
        order = [key for key, _ in said.all if key in (2, 3)]
        if not order:
            raise Unreadable("a registration needs either a token or an error")
        token, error = (token, None) if order[-1] == 2 else (None, error)
        yield "push_token", (replica, need(said.text(1, 1, 64))), (event, token, error)

    def kind23(self, event, replica, payload):
        said = payload.message
        revision = hashlib.sha256(said.data(6) or b"").hexdigest()[:16].encode()
        yield "push", (need(said.text(1, 1, 64)),), (
            event, replica, need(said.name(2, PUSHES)), int(said.number(3) != 0),
            said.text(4, 0, 200), said.text(5, 0, 200), Text(revision),
            said.int64(7, milliseconds(event)))

    def kind24(self, event, replica, payload):
        said = payload.message
        yield "device", (replica,), (
            event, need(said.text(1, 1, 64)), need(said.name(2, ROLES)),
            need(said.text(3, 1, 64)), said.text(4, 0, 32) or Text(b""), said.number(5),
            said.data(6, 16))

    def kind25(self, event, _, payload):
        name, value = payload.message.text(1, 1, 64), payload.message.text(2, 0, 200)
        replaces = replaced(payload.message, 3)
        yield "setting", (need(name),), (event, value)
        if replaces:
            yield "setting_edit", (name, event), (value, replaces)

    def kind26(self, event, _, payload):
        yield "import_file", (need(payload.message.data(2, 32)),), (event, payload.bytes)

    def kind27(self, event, _, payload):
        yield "erasure", (event,), payload.erasure

    def kind28(self, event, _, payload):
        # This kind concerns only the log.
        return ()

    def kind29(self, event, _, payload):
        said = payload.message
        habit, date, text = ident(said, 1), need(said.sint(2)), said.text(3, 1, 2_000)
        replaces = replaced(said, 4)
        yield "note", (habit, date), (event, text)
        if replaces:
            yield "edit", (habit, b"", FIRST_NOTE + date, event), (text, replaces)

    def kind30(self, event, _, payload):
        said = payload.message
        retired = said.last(4, int)
        values = ((b"name", said.text(2, 1, 64)), (b"role", said.name(3, ROLES)),
                  (b"retired", None if retired is None else int(retired != 0)))
        for name, value in values:
            if value is not None:
                yield "device_set", (ident(said, 1), Text(name)), (event, value)

    @property
    def digest(self):
        """The state digest: SHA-256 over every table's name and rows."""
        hashed = hashlib.sha256(DOMAIN)
        for table, _ in TABLES:
            hashed.update(b"\x54" + value_bytes(Text(table.encode())))
            for key, values in sorted(self.rows[table].items(), key=lambda row: row[0]):
                hashed.update(b"\x52" + b"".join(map(value_bytes, key + values)))
        return hashed.digest()


def milliseconds(event):
    return int.from_bytes(event[:6], "big")


def fact(event, replica, payload):
    """Returns the key and first values of a receipt or a response."""
    kind, subject = payload.subject
    revision = payload.message.text(4, 1, 256) or Text(b"0")
    if kind == 1:
        source = ident(subject, 1)
        values = (ident(subject, 2), need(subject.sint(3)), subject.number(4), None)
    elif kind == 2:
        source = need(subject.text(1, 1, 200))
        values = (None, None, None, need(subject.text(2, 1, 256)))
    else:
        source, values = Text(b""), (None, None, None, need(subject.text(1, 1, 64)))
    return (kind, source, replica, event), values + (revision,)


def value_bytes(value):
    if value is None:
        return b"\x00"
    if isinstance(value, int):
        return b"\x01" + struct.pack(">q", value)
    tag = b"\x03" if isinstance(value, Text) else b"\x02"
    return tag + struct.pack(">I", len(value)) + value
