// Scripts of a server: long and reliable writes (Vol 3, Part F, 3.4.6).

import NIOCore
import Testing

@testable import BluetoothHost

extension GATTServerWritingTests {
    // MARK: Prepared writes

    @Test func `GATT/SR/GAW/BV-05-C Write Long Characteristic Value`() throws {
        try self.run(
            """
            > 16 24 00 00 00 AA*18
            < 17 24 00 00 00 AA*18
            > 16 24 00 12 00 BB*10
            < 17 24 00 12 00 BB*10
            > 18 01
            ? write 0024 @0 AA*18 BB*10
            ok
            < 19
            > 18 01                               # the queue is empty now
            < 19
            """
        )
    }

    @Test func `GATT/SR/GAW/BI-07-C Write Long: Invalid Handle`() throws {
        try self.run(
            """
            > 16 35 00 00 00 AA
            < 01 16 35 00 01
            > 16 24 00 00
            < 01 16 00 00 04
            """
        )
    }

    @Test func `GATT/SR/GAW/BI-08-C Write Long: Write Not Permitted`() throws {
        try self.run(
            """
            > 16 10 00 00 00 AA
            < 01 16 10 00 03
            > 16 15 00 00 00 AA
            < 01 16 15 00 03
            """
        )
    }

    @Test func `GATT/SR/GAW/BI-09-C Write Long: Invalid Offset`() throws {
        try self.run(
            """
            > 16 24 00 01 02 AA
            < 17 24 00 01 02 AA
            > 18 01
            < 01 18 24 00 07
            > 16 24 00 05 00 AA
            < 17 24 00 05 00 AA
            > 18 01
            ? write 0024 @5 AA
            ! 07
            < 01 18 24 00 07
            > 16 18 00 01 00 00
            < 17 18 00 01 00 00
            > 18 01
            < 01 18 18 00 07
            """
        )
    }

    @Test func `Client Supported Features are written from their first octet on`() throws {
        try self.run(
            """
            > 16 0B 00 01 00 01
            < 17 0B 00 01 00 01
            > 18 01
            < 01 18 0B 00 07
            > 0A 0B 00
            < 0B 00
            > 16 0B 00 00 00 01
            < 17 0B 00 00 00 01
            > 18 01
            < 19
            > 0A 0B 00
            < 0B 01
            """
        )
    }

    @Test func `GATT/SR/GAW/BI-11-C Write Long: Insufficient Authorization`() throws {
        try self.run(
            """
            > 16 24 00 00 00 AA
            < 17 24 00 00 00 AA
            > 18 01
            ? write 0024 @0 AA
            ! 08
            < 01 18 24 00 08
            > 18 01
            < 19
            """
        )
    }

    @Test func `GATT/SR/GAW/BI-12-C Write Long: Insufficient Authentication`() throws {
        try self.run(
            """
            > 16 1F 00 00 00 AA
            < 01 16 1F 00 05
            """
        )
    }

    @Test func `GATT/SR/GAW/BI-13-C Write Long: Insufficient Encryption Key Size`() throws {
        try self.run(
            """
            security authenticated 7
            > 16 1F 00 00 00 AA
            < 01 16 1F 00 0C
            """,
            configure: { $0.minimumKeySize = 16 }
        )
    }

    @Test func `GATT/SR/GAW/BI-33-C Write Long: Attribute Value Length Too Long`() throws {
        try self.run(
            """
            > 02 05 02
            < 03 05 02
            ? mtu 517
            > 16 24 00 00 00 AA*512
            < 17 24 00 00 00 AA*512
            > 16 24 00 00 02 BB
            < 17 24 00 00 02 BB
            > 18 01
            < 01 18 24 00 0D
            > 16 24 00 00 00 AA*512
            < 17 24 00 00 00 AA*512
            > 18 01
            ? write 0024 @0 AA*512
            ! 0D
            < 01 18 24 00 0D
            > 16 18 00 00 00 01
            < 17 18 00 00 00 01
            > 18 01
            < 01 18 18 00 0D
            """
        )
    }

    @Test func `GATT/SR/GAW/BV-06-C Characteristic Value Reliable Writes`() throws {
        try self.run(
            """
            > 16 24 00 00 00 AA BB
            < 17 24 00 00 00 AA BB
            > 16 13 00 00 00 CC
            < 17 13 00 00 00 CC
            > 18 01
            ? write 0024 @0 AA BB ; 0013 @0 CC
            ok
            < 19
            """
        )
    }

    @Test func `GATT/SR/GAW/BV-10-C Nested Long Characteristic Value Reliable Writes`() throws {
        try self.run(
            """
            > 16 24 00 00 00 AA*18
            < 17 24 00 00 00 AA*18
            > 16 13 00 00 00 CC*18
            < 17 13 00 00 00 CC*18
            > 16 24 00 12 00 BB*5
            < 17 24 00 12 00 BB*5
            > 16 13 00 12 00 DD*5
            < 17 13 00 12 00 DD*5
            > 16 13 00 02 00 EE                   # over what is there: a part of its own
            < 17 13 00 02 00 EE
            > 18 01
            ? write 0024 @0 AA*18 BB*5 ; 0013 @0 CC*18 DD*5 ; 0013 @2 EE
            ok
            < 19
            """
        )
    }

    @Test func `GATT/SR/GAW/BV-11-C Reliable Writes: nothing prepared`() throws {
        try self.run(
            """
            > 18 01
            < 19
            > 18 00
            < 19
            > 18 02
            < 01 18 00 00 04
            > 18
            < 01 18 00 00 04
            """
        )
    }

    @Test func `GATT/SR/GAW/BV-07-C Cancel Reliable Write`() throws {
        try self.run(
            """
            > 16 24 00 00 00 AA
            < 17 24 00 00 00 AA
            > 18 00
            < 19
            > 18 01
            < 19
            """
        )
    }

    @Test func `GATT/SR/GAW/BV-09-C Write Long Characteristic Descriptors`() throws {
        try self.run(
            """
            > 16 18 00 00 00 01
            < 17 18 00 00 00 01
            > 16 18 00 01 00 00
            < 17 18 00 01 00 00
            > 18 01
            < 19
            ? subscribed 0017
            """
        )
    }

    @Test func `Prepared writes of the server's own values wait for the application's consent`() throws {
        try self.run(
            """
            > 16 18 00 00 00 01 00
            < 17 18 00 00 00 01 00
            > 16 24 00 00 00 AA
            < 17 24 00 00 00 AA
            > 18 01
            ? write 0024 @0 AA
            ! 11
            < 01 18 24 00 11
            > 0A 18 00
            < 0B 00 00                            # all or none
            > 16 18 00 00 00 01 00
            < 17 18 00 00 00 01 00
            > 16 24 00 00 00 AA
            < 17 24 00 00 00 AA
            > 18 01
            ? write 0024 @0 AA
            ok
            < 19
            ? subscribed 0017
            """
        )
    }

    @Test func `Clients have queues of their own, and a refused part leaves the queue as it was`() throws {
        try self.run(
            """
            > 16 24 00 00 00 AA
            < 17 24 00 00 00 AA
            open 2
            > 18 01
            < 19
            link 1
            > 16 10 00 00 00 BB
            < 01 16 10 00 03
            > 18 01
            ? write 0024 @0 AA
            ok
            < 19
            """
        )
    }

    @Test func `The queue is limited in requests and in octets`() throws {
        try self.run(
            """
            > 16 24 00 00 00 AA
            < 17 24 00 00 00 AA
            > 16 24 00 01 00 AA
            < 17 24 00 01 00 AA
            > 16 24 00 02 00 AA
            < 01 16 24 00 09
            > 18 01
            ? write 0024 @0 AA AA
            ok
            < 19
            > 16 24 00 00 00 AA*15
            < 17 24 00 00 00 AA*15
            > 16 24 00 0F 00 AA*6
            < 01 16 24 00 09
            > 16 24 00 0F 00 AA*5
            < 17 24 00 0F 00 AA*5
            > 18 00
            < 19
            """,
            configure: {
                $0.preparedWriteLimit = 2
                $0.preparedOctetLimit = 20
            }
        )
    }

    @Test func `A part may begin where the longest value ends, and is then too long unless it is empty`() throws {
        try self.run(
            """
            > 16 13 00 00 02                      # 512
            < 17 13 00 00 02
            > 18 01
            ? write 0013 @512
            ok
            < 19
            > 16 13 00 00 02 AA
            < 17 13 00 00 02 AA
            > 18 01
            < 01 18 13 00 0D
            > 16 13 00 FF 01 AA                   # 511
            < 17 13 00 FF 01 AA
            > 18 01
            ? write 0013 @511 AA
            ok
            < 19
            > 16 13 00 01 02                      # 513
            < 17 13 00 01 02
            > 18 01
            < 01 18 13 00 07
            """
        )
    }

    @Test func `A service may go while its prepared writes wait`() throws {
        try self.run(
            """
            add
            > 16 37 00 00 00 AA
            < 17 37 00 00 00 AA
            remove
            > 18 01
            < 01 18 00 00 01
            """
        )
    }
}
