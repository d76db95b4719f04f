"""An independent decoder reads every capture: no malformed packet, no expert error."""

import asyncio
import shutil
import struct


def is_benign(message, att_opcode, length, event, status, is_legacy):
    """Whether an objection of tshark 4.0 is unfounded."""
    # A value whose length is a multiple of MTU - 1 ends with a Read Blob Response without octets (Vol 3, Part F,
    # 3.4.4.6: a part has 0 to MTU - 1 octets).
    if "Malformed" in message and (att_opcode, length) == ("0x0d", "1"):
        return True
    # A controller may refuse a command that it does not know with a Command Complete that holds the status alone.
    if "Malformed" in message and (event, status) == ("0x0e", "0x01"):
        return True
    # tshark takes each fragment of an extended advertisement for all of its data.
    if "Malformed" in message and is_legacy == "0":
        return True
    # Bumble asks for the second version of LE Enhanced Connection Complete, where there is one; tshark does not know
    # that event, and so not the link that it announces.
    return message == 'Frame is out of any "connection handle" session'


SEVERITY, ERROR = 0x00F00000, 0x00800000

_turns = asyncio.Semaphore(2)


class CaptureFailure(Exception):
    """The decoder objects to a capture."""


#: The ATT PDUs that a client sends (Vol 3, Part F, 3.4.8): requests, commands, and the confirmation.
CLIENT = {0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x1E, 0x20, 0x52, 0xD2}
ATT_CHANNEL = 0x0004


def records(content):
    """The records of a capture: (link, whose GATT client it belongs to, octets); `None` belongs to all."""
    offset, clients = 16, {}
    while offset + 24 <= len(content):
        length, flags = struct.unpack_from(">II", content, offset + 4)
        record = content[offset : offset + 24 + length]
        offset += 24 + length
        if record[24:25] != b"\x02":
            yield None, None, record
            continue
        (header,) = struct.unpack_from("<H", record, 25)
        link, is_continuation, direction = header & 0x0FFF, header >> 12 & 3 == 1, flags & 1
        if not is_continuation and len(record) >= 34:
            channel, opcode = struct.unpack_from("<HB", record, 31)
            # The client's side of the conversation is where it speaks and where it is answered.
            client = (direction if opcode in CLIENT else 1 - direction) if channel == ATT_CHANNEL else None
            clients[link, direction] = client
        yield link, clients.get((link, direction)), record


def parts(path):
    """A capture as one for each link and each of its two GATT clients, with what belongs to none in all of them.

    tshark 4.0 takes a response for that of the last request on any link, and the handles of the databases at both ends for
    those of one; it finds malformed what it so mistakes."""
    content = path.read_bytes()
    all_records = list(records(content))
    conversations = sorted({(link, client) for link, client, _ in all_records if client is not None})
    if len(conversations) < 2:
        return [path]
    result = []
    for link, client in conversations:
        part = path.with_name(f"{path.stem}-link-{link:03x}-{'peer' if client else 'own'}.btsnoop")
        part.write_bytes(
            content[:16]
            + b"".join(
                record
                for its_link, its_client, record in all_records
                if its_link in (None, link) and its_client in (None, client)
            )
        )
        result.append(part)
    return result


async def check(path):
    """Reads a capture; gives the number of its packets."""
    if shutil.which("tshark") is None:
        return 0
    return sum([await decode(part) for part in parts(path)])


async def decode(path):
    """Has tshark read a capture; gives the number of its packets."""
    fields = ("frame.number", "_ws.expert.severity", "_ws.expert.message")
    kind = "bthci_evt.le_ext_advts_event_type.legacy"
    details = ("btatt.opcode", "btl2cap.length", "bthci_evt.code", "bthci_evt.status", kind)
    async with _turns:
        process = await asyncio.create_subprocess_exec(
            "tshark",
            "-r",
            path,
            "-T",
            "fields",
            "-E",
            "aggregator=|",
            *(argument for field in fields + details for argument in ("-e", field)),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        output, errors = await process.communicate()
    if process.returncode:
        raise CaptureFailure(f"tshark cannot read {path}: {errors.decode().strip().splitlines()[-1]}")
    frames = output.decode().splitlines()
    for frame in frames:
        number, severities, messages, *rest = frame.split("\t")
        for severity, message in zip(severities.split("|"), messages.split("|")):
            # Malformed packets are expert errors too.
            if severity and int(severity, 0) & SEVERITY == ERROR and not is_benign(message, *rest):
                raise CaptureFailure(f"tshark objects to frame {number} of {path}: {message}")
    if not frames:
        raise CaptureFailure(f"{path} holds no packet")
    return len(frames)
