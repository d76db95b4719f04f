// Writing values: requests, commands, prepared writes, configurations, and every error that the specification allows.

import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT server: writing")
struct GATTServerWritingTests: GATTServerSuite {
    // MARK: Commands

    @Test func `GATT/SR/GAW/BV-01-C Write Without Response`() throws {
        try self.run(
            """
            > 52 15 00 01 02
            ? command 0015 01 02
            > 52 15 00
            ? command 0015
            """
        )
    }

    @Test func `Write Commands that are not permitted are ignored`() throws {
        try self.run(
            """
            > 52 13 00 01                         # no such property
            > 52 10 00 01                         # fixed
            > 52 35 00 01                         # no such attribute
            > 52 18 00 01 00                      # a descriptor
            > 52 0B 00 01                         # the server's own
            > 52 1F 00 01                         # not safe enough
            > 52 15                               # cut short
            security authenticated 16
            > 52 1F 00 01
            ? command 001F 01
            > 02 05 02
            < 03 05 02
            ? mtu 517
            > 52 15 00 AA*512
            ? command 0015 AA*512
            > 52 15 00 AA*513                     # longer than any attribute
            """
        )
    }

    @Test func `GATT/SR/GAW/BV-02-C and BI-01-C Signed writes are ignored`() throws {
        try self.run(
            """
            > D2 15 00 01 00*12
            > D2 15 00 01
            > D2
            """
        )
    }

    // MARK: Requests

    @Test func `GATT/SR/GAW/BV-03-C Write Characteristic Value`() throws {
        try self.run(
            """
            > 12 13 00 01 02 03
            ? write 0013 @0 01 02 03
            ok
            < 13
            > 12 13 00
            ? write 0013 @0
            ok
            < 13
            > 12 13
            < 01 12 00 00 04
            """
        )
    }

    @Test func `GATT/SR/GAW/BI-02-C Write: Invalid Handle`() throws {
        try self.run(
            """
            > 12 35 00 01
            < 01 12 35 00 01
            > 12 00 00 01
            < 01 12 00 00 01
            """
        )
    }

    @Test func `GATT/SR/GAW/BI-03-C Write: Write Not Permitted`() throws {
        try self.run(
            """
            > 12 10 00 01
            < 01 12 10 00 03
            > 12 15 00 01                         # without response only
            < 01 12 15 00 03
            > 12 11 00 01
            < 01 12 11 00 03
            > 12 0D 00 01
            < 01 12 0D 00 03
            """
        )
    }

    @Test func `GATT/SR/GAW/BI-04-C Write: Insufficient Authorization`() throws {
        try self.run(
            """
            > 12 13 00 01
            ? write 0013 @0 01
            ! 08
            < 01 12 13 00 08
            """
        )
    }

    @Test func `GATT/SR/GAW/BI-05-C Write: Insufficient Authentication`() throws {
        try self.run(
            """
            > 12 1D 00 01
            < 01 12 1D 00 05
            security encrypted 16
            > 12 1D 00 01
            ? write 001D @0 01
            ok
            < 13
            > 12 1F 00 01
            < 01 12 1F 00 05
            security none 0 bonded
            > 12 1D 00 01
            < 01 12 1D 00 0F
            """
        )
    }

    @Test func `GATT/SR/GAW/BI-06-C Write: Insufficient Encryption Key Size`() throws {
        try self.run(
            """
            security authenticated 7
            > 12 1F 00 01
            < 01 12 1F 00 0C
            """,
            configure: { $0.minimumKeySize = 16 }
        )
    }

    @Test func `GATT/SR/GAW/BI-32-C Write: Attribute Value Length Too Long`() throws {
        try self.run(
            """
            > 12 13 00 01 02
            ? write 0013 @0 01 02
            ! 0D                                  # the application knows how long the value can be
            < 01 12 13 00 0D
            > 12 18 00 01
            < 01 12 18 00 0D
            > 12 18 00 01 00 00
            < 01 12 18 00 0D
            > 12 0B 00
            < 01 12 0B 00 0D
            > 02 05 02
            < 03 05 02
            ? mtu 517
            > 12 13 00 AA*513
            < 01 12 13 00 0D
            > 12 13 00 AA*512
            ? write 0013 @0 AA*512
            ok
            < 13
            """
        )
    }

    // MARK: Descriptors

    @Test func `GATT/SR/GAW/BV-08-C Write Characteristic Descriptor`() throws {
        try self.run(
            """
            > 12 18 00 01 00
            < 13
            ? subscribed 0017
            > 0A 18 00
            < 0B 01 00
            > 12 18 00 01 00                      # nothing new
            < 13
            > 12 18 00 00 00
            < 13
            ? unsubscribed 0017
            > 12 18 00 FC FF                      # bits without a meaning are ignored
            < 13
            > 0A 18 00
            < 0B 00 00
            """
        )
    }

    @Test func `A configuration that the characteristic cannot serve is refused`() throws {
        try self.run(
            """
            > 12 18 00 02 00
            < 01 12 18 00 FD
            > 12 1B 00 01 00
            < 01 12 1B 00 FD
            > 12 18 00 03 00
            < 01 12 18 00 FD
            > 0A 18 00
            < 0B 00 00
            """
        )
    }

    @Test func `A subscription may need encryption`() throws {
        try self.run(
            """
            > 12 2C 00 01 00
            < 01 12 2C 00 05
            security encrypted 16
            > 12 2C 00 03 00
            < 13
            ? subscribed 002A
            notify 002A 01
            < 1B 2A 00 01
            security none 0 bonded
            notify 002A 02
            ? dropped 1
            """
        )
    }

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
