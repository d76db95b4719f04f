// Several notifications in one PDU (Vol 3, Part F, 3.4.7.4): what shares one, in which order it leaves, and where it ends.

import NIOCore
import Testing

@testable import BluetoothHost

extension GATTServerNotificationsTests {
    @Test func `GATT/SR/GAN/BV-02-C Multiple Handle Value Notification`() throws {
        try self.run(
            """
            security encrypted 16
            > 12 0B 00 04
            < 13
            > 12 18 00 01 00
            < 13
            ? subscribed 0017
            > 12 2C 00 01 00
            < 13
            ? subscribed 002A
            notify 0017 AA
            notify 002A BB CC
            flush
            < 23 17 00 01 00 AA 2A 00 02 00 BB CC
            notify 0017 AA
            flush                                 # one alone is a plain notification
            < 1B 17 00 AA
            flush
            notify 0017 01*5
            notify 0017 02*5
            notify 0017 03*5                      # does not fit any more
            < 23 17 00 05 00 01*5 17 00 05 00 02*5
            flush
            < 1B 17 00 03*5
            notify 0017 01*9
            notify 0017 02*6                      # too long for two in one PDU
            < 1B 17 00 01*9
            flush
            < 1B 17 00 02*6
            notify 0017 01*9
            notify 0017 02*5                      # fills it to the last octet
            flush
            < 23 17 00 09 00 01*9 17 00 05 00 02*5
            """
        )
    }

    @Test func `D8: two and three notifications fill a PDU to the last octet, and not beyond`() throws {
        try self.run(
            """
            > 12 0B 00 04
            < 13
            > 12 18 00 01 00
            < 13
            ? subscribed 0017
            notify 0017 01*7
            notify 0017 02*7                      # 1 + 11 + 11: the 23 octets of the MTU
            flush
            < 23 17 00 07 00 01*7 17 00 07 00 02*7
            notify 0017 01*7
            notify 0017 02*8                      # one octet more
            < 1B 17 00 01*7
            flush
            < 1B 17 00 02*8
            notify 0017 01*4
            notify 0017 02*3
            notify 0017 03*3                      # 1 + 8 + 7 + 7: 23 octets
            flush
            < 23 17 00 04 00 01*4 17 00 03 00 02*3 17 00 03 00 03*3
            notify 0017 01*4
            notify 0017 02*3
            notify 0017 03*4                      # one octet more
            < 23 17 00 04 00 01*4 17 00 03 00 02*3
            flush
            < 1B 17 00 03*4
            """
        )
    }

    @Test func `Values of up to 121 octets wait for others to share a PDU with, longer ones do not`() throws {
        try self.run(
            """
            > 02 05 02
            < 03 05 02
            ? mtu 517
            > 12 0B 00 04
            < 13
            > 12 18 00 01 00
            < 13
            ? subscribed 0017
            notify 0017 01*121
            notify 0017 02*121
            flush
            < 23 17 00 79 00 01*121 17 00 79 00 02*121
            notify 0017 01*122
            < 1B 17 00 01*122
            """
        )
    }

    @Test func `Notifications that wait for company keep their place before other PDUs`() throws {
        try self.run(
            """
            > 12 0B 00 04
            < 13
            > 12 18 00 01 00
            < 13
            ? subscribed 0017
            > 12 1B 00 02 00
            < 13
            ? subscribed 001A
            notify 0017 01
            notify 001A 02
            < 1B 17 00 01
            < 1D 1A 00 02
            notify 0017 03
            notify 0017 04
            > 0A 10 00
            < 23 17 00 01 00 03 17 00 01 00 04
            < 0B 01 02 03
            flush
            notify 0017 05
            notify 0017 06
            notify 0017 07
            close
            ? dropped 4
            ? unsubscribed 0017
            ? unsubscribed 001A
            """
        )
    }

    @Test func `Each link has its own batch, sent in the order in which they began`() throws {
        try self.run(
            """
            > 12 0B 00 04
            < 13
            > 12 18 00 01 00
            < 13
            ? subscribed 0017
            open 2
            > 12 0B 00 04
            < 13
            > 12 18 00 01 00
            < 13
            ? subscribed 0017
            notify 0017 01
            link 1
            notify 0017 02
            notify 0017 03
            flush
            ? 2: 1B 17 00 01
            < 23 17 00 01 00 02 17 00 01 00 03
            """
        )
    }
}
