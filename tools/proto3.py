# Reads and writes protobuf messages by their grammar, as generated code does in every language,
# with only Python's standard library. tools/verify-vectors uses it to check that such code and
# Carillon read the same payloads. Usage: import it; `Grammar(path)` reads a .proto file.
"""A proto3 reader and writer that interprets the text of a .proto file."""

import re

WIRE_TYPES = {"bytes": 2, "string": 2, "fixed64": 1}
MAX_DEPTH = 100


class NotProtobuf(Exception):
    """The bytes are not a message of the grammar."""


def read_varint(data, offset):
    value = 0
    for shift in range(0, 70, 7):
        if offset >= len(data):
            raise NotProtobuf("a number is cut off")
        byte = data[offset]
        offset += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & (2**64 - 1), offset
    raise NotProtobuf("a number has more than 10 bytes")


def write_varint(value):
    result = bytearray()
    while value >= 0x80:
        result.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(result + bytes([value]))


def skip_group(data, offset, number, depth):
    if depth > MAX_DEPTH:
        raise NotProtobuf("groups are nested too deep")
    while True:
        inner, wire_type, _, offset = read_field(data, offset, depth)
        if wire_type == 4:
            if inner != number:
                raise NotProtobuf("the end of a group that did not start")
            return offset


def read_field(data, offset, depth=0):
    """Returns the number, wire type and value of the field at an offset, and the next offset."""
    tag, offset = read_varint(data, offset)
    number, wire_type, value = tag >> 3, tag & 7, None
    if not 1 <= number < 2**29:
        raise NotProtobuf(f"field number {number}")
    if wire_type == 0:
        value, offset = read_varint(data, offset)
    elif wire_type == 3:
        offset = skip_group(data, offset, number, depth + 1)
    elif wire_type in (1, 2, 5):
        count = {1: 8, 5: 4}.get(wire_type)
        if count is None:
            count, offset = read_varint(data, offset)
        if count > len(data) - offset:
            raise NotProtobuf("a field is cut off")
        value, offset = data[offset:offset + count], offset + count
    elif wire_type != 4 or depth == 0:
        raise NotProtobuf(f"wire type {wire_type}")
    return number, wire_type, value, offset


class Field:
    """One field of a message in the grammar."""

    def __init__(self, label, kind, name, number, oneof):
        self.is_repeated = label == "repeated"
        # Messages, members of a oneof and fields marked `optional` have explicit presence.
        self.has_presence = label == "optional" or oneof is not None
        self.kind, self.name, self.number, self.oneof = kind, name, number, oneof


class Grammar:
    """The messages and enumerations of a .proto file."""

    def __init__(self, path):
        text = re.sub(r"//[^\n]*", "", path.read_text())
        self.messages, self.enumerations = {}, set()
        tokens = re.findall(r"[\w.]+|[{}=;]|\"[^\"]*\"", text)
        while tokens:
            token = tokens.pop(0)
            if token == "message":
                self.read_message(tokens, "")
            elif token == "enum":
                self.enumerations.add(tokens[0])
                while tokens.pop(0) != "}":
                    pass

    def read_message(self, tokens, outer):
        name = outer + tokens.pop(0)
        found, oneof = {}, None
        assert tokens.pop(0) == "{"
        while True:
            token = tokens.pop(0)
            if token == "}" and oneof is None:
                break
            if token == "}":
                oneof = None
            elif token == "message":
                self.read_message(tokens, name + ".")
            elif token == "oneof":
                oneof = tokens.pop(0)
                assert tokens.pop(0) == "{"
            else:
                label = token if token in ("optional", "repeated") else None
                kind = tokens.pop(0) if label else token
                field_name, _, number, _ = (tokens.pop(0) for _ in range(4))
                found[int(number)] = Field(label, kind, field_name, int(number), oneof)
        self.messages[name] = found

    def message_name(self, kind, inside):
        nested = f"{inside}.{kind}"
        return nested if nested in self.messages else kind if kind in self.messages else None

    # A parsed message: its fields by number, and "unknown" for unknown fields.

    def read(self, name, data, message=None, depth=0):
        """Reads a message, merging it into an earlier one if the field occurs again."""
        if depth > MAX_DEPTH:
            raise NotProtobuf("messages are nested too deep")
        message = {"unknown": b""} if message is None else message
        offset = 0
        while offset < len(data):
            start = offset
            number, wire_type, value, offset = read_field(data, offset)
            field = self.messages[name].get(number)
            if not field or not self.take(message, name, field, wire_type, value, depth):
                message["unknown"] += data[start:offset]
        return message

    def take(self, message, name, field, wire_type, value, depth):
        """Reads a field, and returns false if its wire type differs from the grammar."""
        nested = self.message_name(field.kind, name)
        is_packed = field.is_repeated and wire_type == 2 and not nested
        is_packed = is_packed and WIRE_TYPES.get(field.kind) != 2
        wanted = 2 if nested or is_packed else WIRE_TYPES.get(field.kind, 0)
        if wire_type != wanted:
            return False
        if field.oneof:
            for other in self.messages[name].values():
                if other.oneof == field.oneof and other.number != field.number:
                    message.pop(other.number, None)
        if is_packed:
            offset = 0
            while offset < len(value):
                item, offset = self.read_packed(field.kind, value, offset)
                message.setdefault(field.number, []).append(self.value(field.kind, item))
        elif field.is_repeated:
            item = self.read(nested, value, None, depth + 1) if nested else \
                self.value(field.kind, value)
            message.setdefault(field.number, []).append(item)
        elif nested:
            before = message.get(field.number)
            message[field.number] = self.read(nested, value, before, depth + 1)
        else:
            message[field.number] = self.value(field.kind, value)
        return True

    @staticmethod
    def read_packed(kind, data, offset):
        if kind != "fixed64":
            return read_varint(data, offset)
        if len(data) - offset < 8:
            raise NotProtobuf("a list of numbers is cut off")
        return data[offset:offset + 8], offset + 8

    def value(self, kind, value):
        if kind == "string":
            try:
                value.decode("utf-8")
            except UnicodeDecodeError as error:
                raise NotProtobuf("text that is not UTF-8") from error
        if kind == "fixed64":
            return int.from_bytes(value, "little")
        if kind in ("uint32", "sint32"):
            return value & (2**32 - 1)
        if kind == "bool":
            return int(value != 0)
        if kind in self.enumerations:
            low = value & (2**32 - 1)
            return low | 0xFFFFFFFF00000000 if low >> 31 else low
        return value

    def write(self, name, message):
        """Writes a message: fields by number without defaults, followed by unknown fields."""
        result = b""
        for number in sorted(key for key in message if key != "unknown"):
            field, value = self.messages[name][number], message[number]
            nested = self.message_name(field.kind, name)
            if nested or WIRE_TYPES.get(field.kind) == 2:
                for item in value if field.is_repeated else [value]:
                    item = self.write(nested, item) if nested else item
                    if item or nested or field.has_presence or field.is_repeated:
                        result += write_varint(number << 3 | 2) + write_varint(len(item)) + item
            elif field.is_repeated:
                packed = b"".join(item.to_bytes(8, "little") if field.kind == "fixed64"
                                  else write_varint(item) for item in value)
                result += write_varint(number << 3 | 2) + write_varint(len(packed)) + packed
            elif value or field.has_presence:
                result += write_varint(number << 3) + write_varint(value)
        return result + message["unknown"]
