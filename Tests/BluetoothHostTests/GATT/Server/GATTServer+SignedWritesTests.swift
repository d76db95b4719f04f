// Signed writes (Vol 3, Part F, 3.4.5.4; Vol 3, Part C, 10.4; Vol 3, Part H, 2.4.5).

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

/// The octets of a signed command.
func signedWrite(_ handle: AttributeHandle, _ value: String, counter: UInt32, key: Octets16) -> ByteBuffer {
    var message = ByteBuffer(bytes: [0xD2])
    message.writeInteger(handle, endianness: .little)
    message.writeImmutableBuffer(hex(value))
    DataSignature(of: message, counter: counter, key: key).encode(into: &message)
    return message
}

extension GATTCharacteristicDefinition {
    /// A characteristic that is written with signed commands alone.
    static let signed = GATTCharacteristicDefinition(
        uuid: 0xA001,
        properties: .authenticatedSignedWrites,
        permissions: .writeable
    )
}

@Suite("GATT server: signed writes")
struct GATTServerSignedWritesTests {
    private static let key = Octets16(high: 0x611B_64EB_FBCD_1FD3, low: 0x72EC_9196_DF42_5E50)

    /// Runs a script against a server with one characteristic for signed writes, 0010, and one for plain ones, 0012.
    private func run(
        _ script: String,
        key: PeerSigningKey?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> GATTServerScript {
        var runner = try GATTServerScript()
        var server = GATTServer(configuration: GATTServerFixture.configuration)
        _ = try server.add(
            GATTServiceDefinition(
                uuid: 0xA000,
                characteristics: [
                    .signed,
                    GATTCharacteristicDefinition(
                        uuid: 0xA002,
                        properties: [.write, .writeWithoutResponse],
                        permissions: .writeable
                    ),
                ]
            )
        )
        runner.server = ServedLinks(server)
        runner.server.linkOpened(runner.link)
        runner.server.setSigningKey(key, of: runner.link)
        runner.run(script, sourceLocation: sourceLocation)
        return runner
    }

    private func pdu(_ value: String, _ counter: UInt32, handle: AttributeHandle = 0x0010) -> String {
        hex(signedWrite(handle, value, counter: counter, key: Self.key))
    }

    /// The octets are what another host makes of opcode, handle and value with the counter 1.
    @Test("signs a message, and knows its signatures")
    func signature() throws {
        let signature = DataSignature(of: hex("D2 12 00 13 37"), counter: 1, key: Self.key)
        var octets = ByteBuffer()
        signature.encode(into: &octets)
        #expect(hex(octets) == "01 00 00 00 F1 87 1E 93 3C 90 0F F2")
        #expect(DataSignature(parsing: &octets) == signature)
        #expect(signature.isValid(for: hex("D2 12 00 13 37"), key: Self.key))
        #expect(!signature.isValid(for: hex("D2 12 00 13 36"), key: Self.key))
        #expect(!signature.isValid(for: hex("D2 12 00 13 37"), key: .zero))
    }

    @Test("GATT/SR/GAW/BV-02-C Signed write without response")
    func gawBV02() throws {
        let runner = try self.run(
            """
            > \(self.pdu("01 02", 0))
            ? counter 0
            ? command 0010 01 02
            > \(self.pdu("03", 1))
            ? counter 1
            ? command 0010 03
            > \(self.pdu("", 5))
            ? counter 5
            ? command 0010
            """,
            key: PeerSigningKey(key: Self.key, lastCounter: nil)
        )
        #expect(runner.server.signingKey(of: runner.link)?.lastCounter == 5)
    }

    @Test("GATT/SR/GAW/BI-01-C ignores a bad signature, which uses no counter")
    func gawBI01() throws {
        let good = self.pdu("01", 3)
        let bad = good.dropLast(2) + (good.hasSuffix("00") ? "01" : "00")
        let runner = try self.run(
            """
            > \(bad)
            > \(hex(signedWrite(0x0010, "01", counter: 3, key: .zero)))
            > \(good)
            ? counter 3
            ? command 0010 01
            """,
            key: PeerSigningKey(key: Self.key, lastCounter: 2)
        )
        #expect(runner.server.signingKey(of: runner.link)?.lastCounter == 3)
    }

    @Test("ignores a counter that was used, on the next link, too")
    func usedCounter() throws {
        let runner = try self.run(
            """
            > \(self.pdu("01", 7))
            ? counter 7
            ? command 0010 01
            > \(self.pdu("01", 7))
            > \(self.pdu("02", 6))
            """,
            key: PeerSigningKey(key: Self.key, lastCounter: 6)
        )
        let kept = try #require(runner.server.signingKey(of: runner.link))
        _ = try self.run(
            """
            > \(self.pdu("01", 7))
            > \(self.pdu("01", 0))
            > \(self.pdu("01", UInt32.max))
            ? counter 4294967295
            ? command 0010 01
            > \(self.pdu("01", 0))
            > \(self.pdu("01", UInt32.max))
            """,
            key: kept
        )
    }

    @Test("ignores commands to other attributes, cut commands, and those of a peer without a key")
    func ignored() throws {
        _ = try self.run(
            """
            > \(self.pdu("01", 1, handle: 0x0012))
            > \(self.pdu("01", 1, handle: 0x0099))
            > \(self.pdu("01", 1, handle: 0x0003))
            > D2 10 00 00*11
            > D2 10 00
            > D2
            > 12 10 00 01                         # and nothing else is for its value
            < 01 12 10 00 03
            > 52 10 00 01
            > 0A 10 00
            < 01 0A 10 00 02
            """,
            key: PeerSigningKey(key: Self.key, lastCounter: nil)
        )
        _ = try self.run("> \(self.pdu("01", 1))", key: nil)
    }

    @Test("takes a signed write as long as the MTU, and no longer one")
    func longest() throws {
        // Opcode, handle and signature are 15 of the 23 octets.
        _ = try self.run(
            """
            > \(self.pdu("00 01 02 03 04 05 06 07", 1))
            ? counter 1
            ? command 0010 00..07
            > \(self.pdu("00 01 02 03 04 05 06 07 08", 2))
            """,
            key: PeerSigningKey(key: Self.key, lastCounter: nil)
        )
    }

    @Test("ignores a signed write of a change-unaware client")
    func unaware() throws {
        _ = try self.run(
            """
            features 01                           # robust caching
            add
            > \(self.pdu("01", 1))
            > 0A 10 00                            # and this is how it hears of it
            < 01 0A 10 00 12
            """,
            key: PeerSigningKey(key: Self.key, lastCounter: nil)
        )
    }
}
