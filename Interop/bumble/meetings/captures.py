"""An independent decoder reads every capture: no malformed packet, no expert error."""

import asyncio
import shutil
import struct


def is_benign(message, att_opcode, length, event, status):
    """Whether tshark 4.0 objects to something that is as it should be."""
    # A value whose length is a multiple of MTU - 1 ends with a Read Blob Response without octets (Vol 3, Part F,
    # 3.4.4.6: a part has 0 to MTU - 1 octets).
    if "Malformed" in message and (att_opcode, length) == ("0x0d", "1"):
        return True
    # A controller may refuse a command that it does not know with a Command Complete that holds the status alone.
    if "Malformed" in message and (event, status) == ("0x0e", "0x01"):
        return True
    # Bumble asks for the second version of LE Enhanced Connection Complete, where there is one; tshark does not know that
    # event, and so not the link that it announces.
    return message == 'Frame is out of any "connection handle" session'


SEVERITY, ERROR = 0x00F00000, 0x00800000

_turns = asyncio.Semaphore(2)


class CaptureFailure(Exception):
    """The decoder objects to a capture."""


def links(path):
    """The capture of a host with several links as one for each, with the packets that belong to none in all of them.

    tshark 4.0 takes a response for that of the last request on any link, and then finds it malformed."""
    content = path.read_bytes()
    records, handles, offset = [], set(), 16
    while offset + 24 <= len(content):
        (length,) = struct.unpack_from(">I", content, offset + 4)
        record = content[offset : offset + 24 + length]
        handle = None
        if record[24:25] == b"\x02":
            handle = struct.unpack_from("<H", record, 25)[0] & 0x0FFF
            handles.add(handle)
        records.append((handle, record))
        offset += 24 + length
    if len(handles) < 2:
        return [path]
    parts = []
    for wanted in sorted(handles):
        part = path.with_name(f"{path.stem}-link-{wanted:03x}.btsnoop")
        part.write_bytes(content[:16] + b"".join(record for handle, record in records if handle in (None, wanted)))
        parts.append(part)
    return parts


async def check(path):
    """Reads a capture; gives the number of its packets."""
    if shutil.which("tshark") is None:
        return 0
    return sum([await decode(part) for part in links(path)])


async def decode(path):
    """Has tshark read a capture; gives the number of its packets."""
    fields = ("frame.number", "_ws.expert.severity", "_ws.expert.message")
    details = ("btatt.opcode", "btl2cap.length", "bthci_evt.code", "bthci_evt.status")
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
