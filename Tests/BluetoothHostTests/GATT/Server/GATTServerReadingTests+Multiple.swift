// Scripts of a server: several values in one request, descriptors, and requests that overlap.

import NIOCore
import Testing

@testable import BluetoothHost

extension GATTServerReadingTests {
    // MARK: Read Multiple

    @Test func `GATT/SR/GAR/BV-05-C Read Multiple Characteristic Values`() throws {
        try self.run(
            """
            > 0E 10 00 34 00
            < 0F 01 02 03 07
            > 0E 10 00 13 00 34 00 13 00
            ? read 0013 @0
            = AA
            ? read 0013 @0
            = BB
            < 0F 01 02 03 AA 07 BB
            > 0E 21 00 10 00                      # what does not fit is cut
            < 0F 00..15
            > 0E 21 00 13 00                      # and the application is not asked for it
            < 0F 00..15
            > 0E 10 00
            < 01 0E 00 00 04
            > 0E 10 00 34
            < 01 0E 00 00 04
            """
        )
    }

    @Test func `GATT/SR/GAR/BI-18-C Read Multiple: Read Not Permitted`() throws {
        try self.run(
            """
            > 0E 13 00 24 00                      # before the application is asked for the first value
            < 01 0E 24 00 02
            """
        )
    }

    @Test func `GATT/SR/GAR/BI-19-C Read Multiple: Invalid Handle`() throws {
        try self.run(
            """
            > 0E 10 00 35 00
            < 01 0E 35 00 01
            """
        )
    }

    @Test func `GATT/SR/GAR/BI-20-C Read Multiple: Insufficient Authorization`() throws {
        try self.run(
            """
            > 0E 10 00 13 00
            ? read 0013 @0
            ! 08
            < 01 0E 13 00 08
            """
        )
    }

    @Test func `GATT/SR/GAR/BI-21-C Read Multiple: Insufficient Authentication`() throws {
        try self.run(
            """
            > 0E 10 00 1F 00
            < 01 0E 1F 00 05
            """
        )
    }

    @Test func `GATT/SR/GAR/BI-22-C Read Multiple: Insufficient Encryption Key Size`() throws {
        try self.run(
            """
            security authenticated 7
            > 0E 10 00 1F 00
            < 01 0E 1F 00 0C
            """,
            configure: { $0.minimumKeySize = 16 }
        )
    }

    // MARK: Read Multiple Variable

    @Test func `GATT/SR/GAR/BV-11-C and BV-12-C Read Multiple Variable Length, on the one bearer that there is`() throws
    {
        try self.run(
            """
            > 20 10 00 34 00
            < 21 03 00 01 02 03 01 00 07
            > 20 13 00 10 00
            ? read 0013 @0
            =
            < 21 00 00 03 00 01 02 03
            > 20 10 00 21 00                      # the length is the value's, though the value is cut
            < 21 03 00 01 02 03 3C 00 00..0E
            > 20 10 00 10 00 10 00 10 00 34 00    # cut within a length
            < 21 03 00 01 02 03 03 00 01 02 03 03 00 01 02 03 03 00 01 02 03 01 00
            """
        )
    }

    @Test func `Read Multiple Variable Length: errors`() throws {
        try self.run(
            """
            > 20 10 00 24 00
            < 01 20 24 00 02
            > 20 35 00 10 00
            < 01 20 35 00 01
            > 20 10 00 1F 00
            < 01 20 1F 00 05
            > 20 10 00 13 00
            ? read 0013 @0
            ! 08
            < 01 20 13 00 08
            > 20 10 00
            < 01 20 00 00 04
            """
        )
    }

    // MARK: Descriptors

    @Test func `GATT/SR/GAR/BV-06-C Read Characteristic Descriptor`() throws {
        try self.run(
            """
            > 0A 11 00
            < 0B 4E 61 6D 65
            > 0A 18 00
            < 0B 00 00
            > 0A 2C 00                            # a configuration is readable on any link
            < 0B 00 00
            """
        )
    }

    @Test func `GATT/SR/GAR/BV-07-C Read Long Characteristic Descriptor`() throws {
        try self.run(
            """
            > 0A 22 00
            < 0B 40..55
            > 0C 22 00 16 00
            < 0D 56..6B
            > 0C 22 00 2C 00
            < 0D 6C..71
            """
        )
    }

    @Test func `GATT/SR/GAR/BV-08-C Read Behind Long Characteristic Descriptor`() throws {
        try self.run(
            """
            > 0C 22 00 32 00
            < 0D
            > 0C 22 00 33 00
            < 01 0C 22 00 07
            """
        )
    }

    // MARK: One at a time

    @Test func `A second request before the first is answered ends the bearer`() throws {
        try self.run(
            """
            > 0A 13 00
            ? read 0013 @0
            > 52 15 00 01                         # commands may come at any time
            ? command 0015 01
            > 1E
            > 0A 10 00
            ? failed requestWhilePending
            = 01                                  # too late
            > 0A 10 00
            close
            """
        )
    }

    @Test func `Answers to requests that are no longer open are ignored`() throws {
        var runner = try GATTServerScript()
        runner.run(
            """
            > 0A 13 00
            ? read 0013 @0
            close
            = 01
            open 2
            > 0A 13 00
            ? read 0013 @0
            """
        )
        var actions: [ServedLinks.Event] = []
        // The first request of link 2 has the count 1; no other name fits.
        for raw: UInt64 in [0, 1, 1 << 32 | 1, 2 << 32, 2 << 32 | 2, .max] {
            runner.server.respond(to: GATTRequestID(rawValue: raw), with: .success(hex("01")), into: &actions)
            runner.server.respond(to: GATTRequestID(rawValue: raw), error: nil, into: &actions)
        }
        // A read is not answered as a write.
        runner.server.respond(to: GATTRequestID(rawValue: 2 << 32 | 1), error: nil, into: &actions)
        #expect(actions.isEmpty)
        runner.run(
            """
            = 01
            < 0B 01
            """
        )
    }

    @Test func `A service may go while the application thinks about a value`() throws {
        try self.run(
            """
            add
            > 0E 37 00 37 00
            ? read 0037 @0
            remove
            = 01
            < 01 0E 37 00 01
            """
        )
    }
}
