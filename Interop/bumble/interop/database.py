"""The databases that are published in the scenarios, described once for both stacks, and the numbered values of streams.

A description is what InteropPeer takes as JSON: a list of services with their characteristics and descriptors. UUIDs are
texts of four digits or in the long form with capitals, as Core Bluetooth prints them.
"""

READ, WRITE_WITHOUT_RESPONSE, WRITE, NOTIFY, INDICATE = 0x02, 0x04, 0x08, 0x10, 0x20
PROPERTIES = {
    "read": READ,
    "writeWithoutResponse": WRITE_WITHOUT_RESPONSE,
    "write": WRITE,
    "notify": NOTIFY,
    "indicate": INDICATE,
    # The permissions that need an encrypted link.
    "readEncrypted": READ,
    "writeEncrypted": WRITE,
    "notifyEncrypted": NOTIFY,
}
USER_DESCRIPTION = "2901"
SUBSCRIPTIONS = "2902"

SERVICE = "5C0E0001-7A3B-4E1F-9D57-0E4F1B2C8A90"
INCLUDED = "FD01"


def uuid(number):
    """The UUID of a characteristic of the service above."""
    return f"5C0E{number:04X}-7A3B-4E1F-9D57-0E4F1B2C8A90"


LONG = uuid(0x10)
STATIC = uuid(0x11)
EMPTY = uuid(0x12)
NOTIFYING = uuid(0x13)
INDICATING = uuid(0x14)
POURED = uuid(0x15)
WRITTEN = uuid(0x16)
REFUSED = uuid(0x17)
WRITE_ONLY = uuid(0x18)
READ_ONLY = uuid(0x19)
SECRET = uuid(0x1A)
SECRET_UPDATES = uuid(0x1B)

# Every octet differs from its neighbours, also across the pieces of a long value.
LONG_VALUE = bytes((7 * index + index // 251) & 0xFF for index in range(512))
STATIC_VALUE = bytes(range(0x40, 0x68))
DESCRIPTION = "A name for people"
SECRET_VALUE = b"for two"
REFUSAL = 0x08  # Insufficient Authorization


def _characteristic(identifier, properties, value=b"", static=False, refuses=0, descriptors=()):
    return {
        "uuid": identifier,
        "properties": properties,
        "value": value.hex(),
        "static": static,
        "refuses": refuses,
        "descriptors": [{"uuid": name, "value": octets.hex()} for name, octets in descriptors],
    }


def values():
    """One characteristic of every kind, and an included service."""
    return [
        {"uuid": INCLUDED, "secondary": True, "includes": [], "characteristics": []},
        {
            "uuid": SERVICE,
            "secondary": False,
            "includes": [0],
            "characteristics": [
                _characteristic(LONG, ["read", "write"], LONG_VALUE),
                _characteristic(
                    STATIC,
                    ["read"],
                    STATIC_VALUE,
                    static=True,
                    descriptors=[(USER_DESCRIPTION, DESCRIPTION.encode())],
                ),
                _characteristic(EMPTY, ["read", "write"]),
                _characteristic(NOTIFYING, ["notify"]),
                _characteristic(INDICATING, ["indicate"]),
                _characteristic(POURED, ["writeWithoutResponse"]),
                _characteristic(WRITTEN, ["read", "write"], b"before"),
                _characteristic(REFUSED, ["read", "write"], refuses=REFUSAL),
                _characteristic(WRITE_ONLY, ["write"]),
                _characteristic(READ_ONLY, ["read"], b"look, do not touch"),
            ],
        },
    ]


def secrets():
    """A characteristic for paired devices only, beside one for all."""
    return [
        {
            "uuid": SERVICE,
            "secondary": False,
            "includes": [],
            "characteristics": [
                _characteristic(READ_ONLY, ["read"], b"for everybody"),
                _characteristic(SECRET, ["readEncrypted", "writeEncrypted"], SECRET_VALUE),
                _characteristic(SECRET_UPDATES, ["notifyEncrypted"]),
            ],
        }
    ]


def large(services=20, characteristics=4):
    """Many services, half of them with long UUIDs, with a value and a description in each characteristic."""
    result = []
    for number in range(services):
        is_long = number % 2 == 1
        result.append(
            {
                "uuid": f"A11E{number:04X}-0000-4000-8000-00805F9B34FB" if is_long else f"FE{number:02X}",
                "secondary": False,
                "includes": [],
                "characteristics": [
                    _characteristic(
                        f"A11E{number:02X}{index:02X}-1111-4000-8000-00805F9B34FB"
                        if is_long
                        else f"{0xA000 + 16 * number + index:04X}",
                        [["read"], ["read", "write"], ["notify"], ["indicate", "read"]][index % 4],
                        f"{number}.{index}".encode(),
                        descriptors=[(USER_DESCRIPTION, f"value {number}.{index}".encode())] if index == 0 else [],
                    )
                    for index in range(characteristics)
                ],
            }
        )
    return result


def shape(description):
    """The UUIDs, properties and descriptors that a client must find, in a form that can be compared."""
    found = {}
    for service in description:
        characteristics = {}
        for characteristic in service["characteristics"]:
            properties = sum(PROPERTIES[name] for name in characteristic["properties"])
            descriptors = {descriptor["uuid"] for descriptor in characteristic["descriptors"]}
            if properties & (NOTIFY | INDICATE):
                descriptors.add(SUBSCRIPTIONS)
            characteristics[characteristic["uuid"]] = (properties, frozenset(descriptors))
        includes = frozenset(description[number]["uuid"] for number in service["includes"])
        if not service["secondary"]:
            found[service["uuid"]] = (includes, characteristics)
    return found


def numbered(number, length):
    """The value with a number of a stream in which nothing may be lost; InteropPeer makes the same ones."""
    head = number.to_bytes(4, "little")[:length]
    return head + bytes((number + index) & 0xFF for index in range(4, length))


# The octets of a channel, which repeat.
_ROW = bytes((7 * place + place // 251) & 0xFF for place in range(251 * 256))


def row(octets):
    """The octets that a channel carries; InteropPeer makes and checks the same ones."""
    return (_ROW * (octets // len(_ROW) + 1))[:octets]


class Counter:
    """Counts received numbered values; the future `done` has the outcome."""

    def __init__(self, count, length, done):
        self.count = 0
        self.fault = None
        self.total = count
        self.length = length
        self.done = done

    def take(self, value):
        if self.fault is None and value != numbered(self.count, self.length):
            self.fault = f"value {self.count} was {value[:16].hex()}… of {len(value)} octets"
        self.count += 1
        if self.count == self.total and not self.done.done():
            self.done.set_result((self.count, self.fault))
