"""In the guest: looks at adapters through the kernel's ioctls, and waits for their state. adapter.py up|down INDEX"""

import fcntl
import socket
import struct
import sys
import time

HCIGETDEVINFO = 0x800448D3


def is_up(index):
    with socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI) as each:
        # struct hci_dev_info: the number, a name of 8, an address of 6, then the flags.
        information = bytearray(struct.pack("<H", index) + bytes(98))
        fcntl.ioctl(each, HCIGETDEVINFO, information)
        return bool(struct.unpack_from("<I", information, 16)[0] & 1)


wanted, index = sys.argv[1] == "up", int(sys.argv[2])
while True:
    try:
        if is_up(index) == wanted:
            break
    except OSError:
        pass  # It is not there yet.
    time.sleep(0.05)  # The next look; the scenario's time limit bounds the wait.
