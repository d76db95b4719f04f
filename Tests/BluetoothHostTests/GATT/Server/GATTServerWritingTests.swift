// Writing values: requests, commands, prepared writes, configurations, and every error that the specification allows.

import Fixtures
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

    @Test func `Signed writes of a client that has distributed no key are ignored`() throws {
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
}
