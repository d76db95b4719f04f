// Several values in one response that are just as long as the MTU allows, and what is asked of the application then.

import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT server: responses that are full")
struct GATTServerFullResponseTests: GATTServerSuite {
    @Test("Read Multiple: the application is not asked for a value behind a response of 23 octets, the MTU")
    func multiple() throws {
        try self.run(
            """
            > 0E 10 00 10 00 10 00 10 00 10 00 10 00 10 00 34 00 13 00
            < 0F 01 02 03 01 02 03 01 02 03 01 02 03 01 02 03 01 02 03 01 02 03 07
            > 0E 10 00 10 00 10 00 10 00 10 00 10 00 10 00 13 00
            ? read 0013 @0                        # one octet is left
            = AA BB
            < 0F 01 02 03 01 02 03 01 02 03 01 02 03 01 02 03 01 02 03 01 02 03 AA
            """
        )
    }

    @Test("Read Multiple Variable: the application is not asked for a value behind a response of 23 octets, the MTU")
    func multipleVariable() throws {
        try self.run(
            """
            > 20 10 00 10 00 34 00 34 00 34 00 34 00 13 00
            < 21 03 00 01 02 03 03 00 01 02 03 01 00 07 01 00 07 01 00 07 01 00 07
            > 20 10 00 34 00 34 00 34 00 34 00 34 00 13 00
            ? read 0013 @0                        # two octets are left: the length of the value
            = AA BB
            < 21 03 00 01 02 03 01 00 07 01 00 07 01 00 07 01 00 07 01 00 07 02 00
            """
        )
    }

    @Test("A value of the application that fills the response is the last one that is asked for")
    func filledByApplication() throws {
        try self.run(
            """
            > 0E 13 00 13 00
            ? read 0013 @0
            = AA*22
            < 0F AA*22
            > 0E 13 00 13 00
            ? read 0013 @0
            = AA*21
            ? read 0013 @0
            = BB BB
            < 0F AA*21 BB
            > 20 13 00 13 00
            ? read 0013 @0
            = AA*20
            < 21 14 00 AA*20
            """
        )
    }
}
