#!/usr/bin/env python3
"""Sealing, written from protocol/SEALED.md, and the check of protocol/vectors/sealed.json,
erasure-lists.json and sealed-store.json.

Usage: tools/python_sealed.py. Exits with 1 if a value differs, and with 69 if the package
`cryptography` (Debian: python3-cryptography) is not installed.
"""

import hashlib
import hmac
import json
import pathlib
import sys
import types
import uuid

try:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
    IS_AVAILABLE = True
except ImportError:
    IS_AVAILABLE = False

PROTOCOL = pathlib.Path(__file__).resolve().parent.parent / "protocol"
TAG = b"\xfa\x01"
PAYLOAD, EPOCH, DEVICE, ERASURES = 1, 2, 3, 4
CLOSINGS = b"\xe2\x01"  # branches.closed, field 28, is never sealed
BLOCK, LARGEST = 64, 16_318


class Refused(Exception):
    """Bytes that are not accepted, with the reason."""


def hkdf(key, salt, info, count=32):
    """HKDF-SHA256 (RFC 5869)."""
    secret = hmac.digest(salt or bytes(32), key, "sha256")
    return expand(secret, info, count)


def expand(secret, info, count):
    result = block = b""
    for number in range(1, count // 32 + 2):
        block = hmac.digest(secret, block + info + bytes([number]), "sha256")
        result += block
    return result[:count]


def u32(value):
    return value.to_bytes(4, "big")


def u64(value):
    return value.to_bytes(8, "big")


class Key:
    """A key of a store: its epoch, and the keys derived from it."""

    def __init__(self, store, number, secret):
        def derived(label, count=32):
            return hkdf(secret, store, label + u32(number), count)
        self.secret = secret
        self.epoch = u32(number) + derived(b"carillon.check.v1", 4)
        self.payload_key = derived(b"carillon.payload.v1")
        self.epoch_key = derived(b"carillon.epoch.v1")


# The envelope: field 31 of a payload.

def envelope(form, content):
    count = 1 + len(content)
    length = bytes([count]) if count < 128 else bytes([count & 127 | 128, count >> 7])
    return TAG + length + bytes([form]) + content


def opened(payload):
    """Returns the form and the content of an envelope."""
    if not payload.startswith(TAG):
        raise Refused("notSealed")
    for size in (1, 2):
        form, content = payload[2 + size:3 + size], payload[3 + size:]
        if form and len(payload) <= 16_384 and envelope(form[0], content) == payload:
            return form[0], content
    raise Refused("damaged")


# Sealed payloads.

def additional_data(epoch, store, replica, sequence, timestamp):
    return b"carillon.sealed.v1" + epoch + store + replica + u64(sequence) + u64(timestamp)


def seal(key, place, nonce, plain):
    assert 1 <= len(plain) <= LARGEST
    text = len(plain).to_bytes(2, "big") + plain
    text += bytes(-len(text) % BLOCK)
    box = ChaCha20Poly1305(key.payload_key).encrypt(
        nonce, text, additional_data(key.epoch, *place))
    return envelope(PAYLOAD, key.epoch + nonce + box)


def open_payload(keys, place, payload):
    form, content = opened(payload)
    if form != PAYLOAD:
        raise Refused("notSealed" if form in (2, 3, 4, 5) else "unsupported")
    epoch, nonce, box = content[:8], content[8:20], content[20:]
    if len(box) < BLOCK + 16 or (len(box) - 16) % BLOCK:
        raise Refused("damaged")
    key = next((key for key in keys if key.epoch == epoch), None)
    if key is None:
        raise Refused("unknownEpoch")
    try:
        text = ChaCha20Poly1305(key.payload_key).decrypt(
            nonce, box, additional_data(epoch, *place))
    except InvalidTag:
        raise Refused("damaged") from None
    count = int.from_bytes(text[:2], "big")
    padding = text[2 + count:]
    if not 0 < count <= len(text) - 2 or len(padding) >= BLOCK or any(padding):
        raise Refused("damaged")
    return text[2:2 + count]


# Erasure lists.

def erasure_list(erasure, replica, last, sequences):
    """Returns the payload of a list; the sequences descend, the first is that of the ID `last`."""
    content = erasure + replica + u64(sequences[0]) + last
    for sequence, following in zip(sequences, sequences[1:]):
        rest = sequence - following
        while rest > 127:
            content += bytes([rest & 127 | 128])
            rest >>= 7
        content += bytes([rest])
    return envelope(ERASURES, content)


def open_erasure_list(payload):
    """Returns the erasing event, the replica, the ID of the last event, and the sequences."""
    form, content = opened(payload)
    if form != ERASURES or len(content) < 88:
        raise Refused("damaged")
    sequences, difference, shift = [int.from_bytes(content[48:56], "big")], 0, 0
    for byte in content[88:]:
        difference |= (byte & 127) << shift
        shift = shift + 7 if byte > 127 else 0
        if not shift:
            sequences.append(sequences[-1] - difference)
            difference = 0
    parts = content[:32], content[32:48], content[56:88], sequences
    in_range = 0 < sequences[-1] <= sequences[0] < 1 << 62 and len(sequences) <= 1_000
    if not in_range or sequences != sorted(set(sequences), reverse=True):
        raise Refused("damaged")
    if erasure_list(*parts) != payload:
        raise Refused("damaged")
    return parts


def sealed_ring(key, label, nonce, ring):
    return b"\x01" + nonce + ChaCha20Poly1305(key).encrypt(nonce, ring, label)


# X25519 and HPKE (RFC 9180): DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, ChaCha20Poly1305, mode auth.

def public(private):
    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes(
        Encoding.Raw, PublicFormat.Raw)


def shared(private, other):
    return X25519PrivateKey.from_private_bytes(private).exchange(
        X25519PublicKey.from_public_bytes(other))


def labeled_extract(suite, salt, label, key):
    return hmac.digest(salt or bytes(32), b"HPKE-v1" + suite + label + key, "sha256")


def labeled_expand(suite, secret, label, info, count):
    return expand(secret, count.to_bytes(2, "big") + b"HPKE-v1" + suite + label + info, count)


def hpke_open(private, sender, encapsulated, info, aad, box):
    kem, suite = b"KEM\x00\x20", b"HPKE\x00\x20\x00\x01\x00\x03"
    secrets = shared(private, encapsulated) + shared(private, sender)
    prk = labeled_extract(kem, b"", b"eae_prk", secrets)
    secret = labeled_expand(
        kem, prk, b"shared_secret", encapsulated + public(private) + sender, 32)
    context = (
        b"\x02" + labeled_extract(suite, b"", b"psk_id_hash", b"")
        + labeled_extract(suite, b"", b"info_hash", info))
    prk = labeled_extract(suite, secret, b"secret", b"")
    key = labeled_expand(suite, prk, b"key", context, 32)
    nonce = labeled_expand(suite, prk, b"base_nonce", context, 12)
    return ChaCha20Poly1305(key).decrypt(nonce, box, aad)


# The start of an epoch.

def open_epoch(store, payload, device):
    """Returns the epoch, author, recipients, revoked devices, and the key of a device."""
    form, content = opened(payload)
    if form != EPOCH:
        raise Refused("notSealed")
    epoch, author, granted, out = content[:8], content[8:40], content[40], content[41]
    end = 42 + 32 * (granted + out)
    if len(content) != end + 80 * granted + 32:
        raise Refused("damaged")
    listed = [content[place:place + 32] for place in range(42, end, 32)]
    recipients, revoked = listed[:granted], listed[granted:]
    place = end + 80 * recipients.index(public(device))
    box = content[place:place + 80]
    secret = hpke_open(
        device, author, box[:32], b"carillon.grant.v1" + store, content[:end], box[32:])
    key = Key(store, int.from_bytes(epoch[:4], "big"), secret)
    confirmation = hmac.digest(key.epoch_key, content[:-32], "sha256")
    if key.epoch != epoch or confirmation != content[-32:]:
        raise Refused("damaged")
    return epoch, author, recipients, revoked, secret


# Words.

def word_list():
    return (PROTOCOL / "words.txt").read_text().split()


def spoken(data, count):
    bits = int.from_bytes(data, "big") >> (8 * len(data) - 11 * count)
    names = word_list()
    return [names[bits >> 11 * place & 2047] for place in reversed(range(count))]


def recovery(entropy):
    """Returns the words and the private key of a recovery phrase."""
    label = b"carillon.recovery.v1"
    words = spoken(entropy + hashlib.sha256(label + entropy).digest()[:1], 24)
    return words, hkdf(entropy, b"", label)


def entropy_of(words):
    """Returns the 32 bytes of a recovery phrase."""
    names = {name: place for place, name in enumerate(word_list())}
    places = [names.get(word.lower()) for word in words.split()]
    if len(places) != 24 or None in places:
        raise Refused("malformedWords")
    bits = 0
    for place in places:
        bits = bits << 11 | place
    entropy = (bits >> 8).to_bytes(32, "big")
    if recovery(entropy)[0] != words.lower().split():
        raise Refused("malformedWords")
    return entropy


# The events of a store, as its recovery phrase opens them.

class Reader:
    """The keys that a recovery phrase gets from the events of a store. An event has `replica`,
    `sequence`, `timestamp` and `payload`, which is None if it was erased or is missing."""

    def __init__(self, store, words, events):
        self.store, self.device = store, recovery(entropy_of(words))[1]
        self.keys, self.members = [], {}
        known = -1
        # A key may open statements and starts that were passed.
        while known < (known := len(self.keys) + sum(map(len, self.members.values()))):
            for event in events:
                if event.payload is not None:
                    self.learn(event)
        if not self.keys:
            raise Refused("missingKeys")

    def learn(self, event):
        """Takes the key that a member grants, or the public key that a device states."""
        payload = event.payload
        try:
            form, content = opened(payload)
            if form == EPOCH:
                trusted = set().union(*self.members.values()) or {public(self.device)}
                if content[:8] not in self.members and content[8:40] in trusted:
                    epoch, _, recipients, _, secret = open_epoch(self.store, payload, self.device)
                    self.keys.append(Key(self.store, int.from_bytes(epoch[:4], "big"), secret))
                    self.members[epoch] = set(recipients)
            elif form == PAYLOAD:
                inner, key = opened(self.open(event))
                if inner == DEVICE and len(key) == 32:
                    self.members[content[:8]].add(key)
        except (Refused, InvalidTag, ValueError):
            pass

    def open(self, event):
        place = (self.store, event.replica, event.sequence, event.timestamp)
        return open_payload(self.keys, place, event.payload)

    def payload(self, event):
        """Returns what the payload of an event says; None if it has no effect."""
        if event.payload is None or event.payload.startswith(CLOSINGS):
            return event.payload
        try:
            return self.open(event)
        except Refused:
            return None


# Pairing.

def pair(store, joiner, holder, ring, nonce):
    """Returns the four messages and the six words; a side is its private key and its nonce."""
    shares = [public(key) + random for key, random in (joiner, holder)]
    version = b"\x01"
    commitment = version + hashlib.sha256(b"carillon.pairing.commitment.v1" + shares[0]).digest()
    answer, opening = version + store + shares[1], version + shares[0]
    transcript = hashlib.sha256(
        b"carillon.pairing.v1" + commitment + answer + opening).digest()
    key = hkdf(shared(joiner[0], public(holder[0])), transcript, b"carillon.pairing.key.v1")
    words = spoken(hashlib.sha256(b"carillon.pairing.code.v1" + transcript).digest(), 6)
    return [commitment, answer, opening,
            sealed_ring(key, b"carillon.pairing.ring.v1", nonce, ring)], words


# The vectors.

def raw(value):
    return bytes.fromhex(value)


def refusal(body):
    try:
        body()
    except Refused as reason:
        return str(reason)
    return None


def check(checker):
    """Reports each value to `checker.equal(name, expected, computed)`."""
    vectors = json.loads((PROTOCOL / "vectors" / "sealed.json").read_text())
    store = uuid.UUID(vectors["keys"][0]["store"]).bytes
    keys = [Key(store, key["number"], raw(key["secret"])) for key in vectors["keys"]]
    for key, expected in zip(keys, vectors["keys"]):
        for name, value in (("epoch", key.epoch), ("payloadKey", key.payload_key),
                            ("epochKey", key.epoch_key)):
            checker.equal(f"sealed.json, {name}", expected[name], value.hex())
    ring = b"\x01" + store + b"".join(key.epoch[:4] + key.secret for key in keys)
    place = None
    for vector in vectors["payloads"]:
        key, plain = keys[vector["key"]], raw(vector["plain"])
        place = (store, uuid.UUID(vector["replica"]).bytes, vector["sequence"],
                 int(vector["timestamp"]))
        sealed = seal(key, place, raw(vector["nonce"]), plain)
        name = f"sealed.json, a payload of {len(plain)} bytes"
        checker.equal(name, vector["payload"], sealed.hex())
        checker.equal(name, plain, open_payload(keys, place, sealed))
    for vector in vectors["refused"]:
        payload = raw(vector["payload"])
        checker.equal(f"sealed.json, {vector['name']}", vector["reason"],
                      refusal(lambda: open_payload(keys, place, payload)))
    check_keys(checker, vectors, store, ring)
    check_erasure_lists(checker)
    check_store(checker)


def check_erasure_lists(checker):
    vectors = json.loads((PROTOCOL / "vectors" / "erasure-lists.json").read_text())
    for number, vector in enumerate(vectors["lists"]):
        parts = (raw(vector["erasure"]), uuid.UUID(vector["replica"]).bytes, raw(vector["last"]),
                 vector["sequences"])
        name = f"erasure-lists.json, list {number}"
        checker.equal(name, vector["payload"], erasure_list(*parts).hex())
        checker.equal(name, parts, open_erasure_list(raw(vector["payload"])))
    for vector in vectors["refused"]:
        payload = raw(vector["payload"])
        checker.equal(f"erasure-lists.json, {vector['name']}", "damaged",
                      refusal(lambda: open_erasure_list(payload)))


def check_store(checker):
    vectors = json.loads((PROTOCOL / "vectors" / "sealed-store.json").read_text())
    events = [types.SimpleNamespace(
        replica=uuid.UUID(event["replica"]).bytes, sequence=event["sequence"],
        timestamp=int(event["timestamp"]), payload=raw(event["payload"]))
        for event in vectors["events"]]
    reader = Reader(uuid.UUID(vectors["store"]).bytes, vectors["phrase"], events)
    checker.equal("sealed-store.json, epochs", vectors["epochs"],
                  sorted(key.epoch.hex() for key in reader.keys))
    for place, (event, vector) in enumerate(zip(events, vectors["events"])):
        plain = reader.payload(event)
        checker.equal(f"sealed-store.json, event {place}", vector.get("plain"),
                      plain and plain.hex())


def check_keys(checker, vectors, store, ring):
    for vector in vectors["invitations"]:
        label = b"carillon.invitation.v1"
        sealed = sealed_ring(
            hkdf(raw(vector["secret"]), store, label), label, raw(vector["nonce"]), ring)
        checker.equal("sealed.json, ring", vector["ring"], ring.hex())
        checker.equal("sealed.json, invitation", vector["sealed"], sealed.hex())
    for vector in vectors["recovery"]:
        words, private = recovery(raw(vector["entropy"]))
        checker.equal("sealed.json, recovery phrase", vector["words"], " ".join(words))
        checker.equal("sealed.json, recovery key", vector["privateKey"], private.hex())
        checker.equal("sealed.json, recovery key", vector["publicKey"], public(private).hex())
    for vector in vectors["epochs"]:
        for device in vector["devices"]:
            epoch, author, recipients, revoked, secret = open_epoch(
                store, raw(vector["payload"]), raw(device))
            for name, value in (("epoch", epoch), ("author", author), ("secret", secret)):
                checker.equal(f"sealed.json, {name} of an epoch", vector[name], value.hex())
            checker.equal("sealed.json, recipients of an epoch", vector["recipients"],
                          [key.hex() for key in recipients])
            checker.equal("sealed.json, devices that an epoch revokes", vector["revoked"],
                          [key.hex() for key in revoked])
    for vector in vectors["pairings"]:
        messages, words = pair(
            store, (raw(vector["joinerKey"]), raw(vector["joinerNonce"])),
            (raw(vector["holderKey"]), raw(vector["holderNonce"])), raw(vector["ring"]),
            raw(vector["nonce"]))
        checker.equal("sealed.json, messages of a pairing", vector["messages"],
                      [message.hex() for message in messages])
        checker.equal("sealed.json, words of a pairing", vector["words"], words)


class Checker:
    def __init__(self):
        self.checked = self.failed = 0

    def equal(self, name, expected, computed):
        self.checked += 1
        if expected != computed:
            self.failed += 1
            print(f"{name}: {computed} instead of {expected}")


def main():
    if not IS_AVAILABLE:
        print("tools/python_sealed.py: install python3-cryptography", file=sys.stderr)
        sys.exit(69)
    checker = Checker()
    check(checker)
    print(f"{checker.checked} values checked, {checker.failed} differ")
    sys.exit(1 if checker.failed else 0)


if __name__ == "__main__":
    main()
