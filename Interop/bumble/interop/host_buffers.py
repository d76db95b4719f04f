"""Flow control from the controller to a Bumble host (Vol 4, Part E, 4.2), which does not support it itself."""

import collections
import struct

from bumble import hci


class HostBuffers:
    """The buffers of a Bumble host. Each packet is reported as finished at once, or not until the end of a hold."""

    COUNT, LENGTH = 16, 251

    def __init__(self, host):
        self.host = host
        self.finished = collections.Counter()
        self.is_held = False
        self.receive = host.on_hci_acl_data_packet
        host.on_hci_acl_data_packet = self.received

    async def limit(self):
        """Turns flow control on."""
        buffers = self.LENGTH, 0, self.COUNT, 0
        await self.host.send_sync_command(hci.HCI_Host_Buffer_Size_Command(*buffers))
        mode = hci.HCI_Set_Controller_To_Host_Flow_Control_Command(flow_control_enable=1)
        await self.host.send_sync_command(mode)

    def received(self, packet):
        self.receive(packet)
        self.finished[packet.connection_handle] += 1
        unreported = self.finished[packet.connection_handle]
        assert unreported <= self.COUNT, f"the controller sent {unreported} packets, the host has {self.COUNT} buffers"
        if not self.is_held:
            self.report()

    def report(self):
        for handle, count in self.finished.items():
            # HCI_Host_Number_Of_Completed_Packets has no answer and needs no credit, so it does not wait for others.
            self.host.send_hci_packet(bytes([0x01, 0x35, 0x0C, 5, 1]) + struct.pack("<HH", handle, count))
        self.finished.clear()

    def hold(self):
        self.is_held = True

    def release(self):
        self.is_held = False
        self.report()
