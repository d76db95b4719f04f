// A link that loses its security while the application is asked for a value (Vol 3, Part F, 3.4.4): the answer is sent
// with the security that the link has then, whatever the request was.

import Fixtures
import Testing

@testable import BluetoothHost

@Suite("GATT server: security that is lost within a request")
struct GATTServerLostSecurityTests: GATTServerSuite {
    @Test(
        "A value is not sent where the link is not secure enough any more when the application answers",
        arguments: [("none", "05"), ("none 16 bonded", "0F"), ("encrypted 7", "0C")] as [(String, String)]
    )
    func value(security: String, error: String) throws {
        for (request, offset) in [
            ("0A 1D 00", 0), ("0C 1D 00 02 00", 2), ("08 1D 00 1D 00 06 A0", 0), ("0E 1D 00 13 00", 0),
            ("20 1D 00 13 00", 0),
        ] {
            try self.run(
                """
                security encrypted 16
                > \(request)
                ? read 001D @\(offset)
                security \(security)
                = AA
                < 01 \(request.prefix(2)) 1D 00 \(error)
                > 0A 13 00                        # the request has ended, and the next one may come
                ? read 0013 @0
                = BB
                < 0B BB
                """,
                configure: { $0.minimumKeySize = 16 }
            )
        }
    }

    @Test("An application that refuses to give a value on a link that lost its security says less than the link does")
    func refusal() throws {
        try self.run(
            """
            security encrypted 16
            > 0A 1D 00
            ? read 001D @0
            security none
            ! 80
            < 01 0A 1D 00 05
            security encrypted 16
            > 0A 1D 00
            ? read 001D @0
            ! 80
            < 01 0A 1D 00 80
            """
        )
    }

    @Test(
        "A value behind the one that is asked for is refused for what the link lacks then",
        arguments: [("none 16 bonded", "0F"), ("encrypted 7", "0C")] as [(String, String)]
    )
    func laterValue(security: String, error: String) throws {
        for opcode in ["0E", "20"] {
            try self.run(
                """
                security encrypted 16
                > \(opcode) 13 00 1D 00
                ? read 0013 @0
                security \(security)
                = AA
                < 01 \(opcode) 1D 00 \(error)
                """,
                configure: { $0.minimumKeySize = 16 }
            )
        }
    }

    @Test("A value that was read before the link lost its security is sent with those that need none")
    func alreadyRead() throws {
        try self.run(
            """
            security encrypted 16
            > 0E 1D 00 13 00
            ? read 001D @0
            = 01
            ? read 0013 @0
            security none
            = 02
            < 0F 01 02
            """
        )
    }
}
