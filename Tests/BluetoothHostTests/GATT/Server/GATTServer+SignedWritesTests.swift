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
    /// A characteristic that accepts only signed commands.
    static let signed = GATTCharacteristicDefinition(
        uuid: 0xA001,
        properties: .authenticatedSignedWrites,
        permissions: .writeable
    )
}

@Suite("GATT server: signed writes")
struct GATTServerSignedWritesTests {
    /// 0010 takes signed commands alone, 0012 takes none.
    private static let scripts = TitledScript.all(
        """
        ## GATT/SR/GAW/BV-02-C Signed write without response
        with signed
        signed 0010 0 01 02 ? counter 0 ? command 0010 01 02
        signed 0010 1 03 ? counter 1 ? command 0010 03
        signed 0010 5 ? counter 5 ? command 0010

        ## GATT/SR/GAW/BI-01-C ignores a bad signature, which uses no counter
        with signed
        > D2 10 00 01 03 00 00 00 00*8
        forged 0010 3 01
        signed 0010 3 01 ? counter 3 ? command 0010 01

        ## ignores a counter that was used, on the next link, too
        with signed
        key 6
        signed 0010 6 02
        signed 0010 7 01 ? counter 7 ? command 0010 01
        signed 0010 7 01
        close
        open 2
        key 7
        signed 0010 7 01
        signed 0010 0 01
        signed 0010 4294967295 01 ? counter 4294967295 ? command 0010 01
        signed 0010 0 01
        signed 0010 4294967295 01

        ## ignores commands to other attributes, cut commands, and those of a peer without a key
        with signed
        signed 0012 1 01
        signed 0099 1 01
        signed 0003 1 01
        > D2 10 00 00*11
        > D2 10 00
        > D2
        > 12 10 00 01 < 01 12 10 00 03        # and nothing else is for its value
        > 52 10 00 01
        > 0A 10 00 < 01 0A 10 00 02
        key none
        signed 0010 1 01

        ## takes a signed write as long as the MTU, and no longer one
        with signed
        signed 0010 1 00..07 ? counter 1      # opcode, handle and signature are 15 of the 23 octets
        ? command 0010 00..07
        signed 0010 2 00..08

        ## ignores a signed write of a change-unaware client
        with signed
        features 01
        add
        signed 0010 1 01
        > 0A 10 00 < 01 0A 10 00 12
        """
    )

    @Test("follows the script", arguments: Self.scripts)
    func script(_ script: TitledScript) throws { try script.runOnServer() }

    /// The octets are those of another host for opcode, handle and value with the counter 1.
    @Test("signs a message, and verifies its signatures")
    func signature() throws {
        let key = GATTServerScript.signingKey
        let signature = DataSignature(of: hex("D2 12 00 13 37"), counter: 1, key: key)
        var octets = ByteBuffer()
        signature.encode(into: &octets)
        #expect(hex(octets) == "01 00 00 00 F1 87 1E 93 3C 90 0F F2")
        #expect(DataSignature(parsing: &octets) == signature)
        #expect(signature.isValid(for: hex("D2 12 00 13 37"), key: key))
        #expect(!signature.isValid(for: hex("D2 12 00 13 36"), key: key))
        #expect(!signature.isValid(for: hex("D2 12 00 13 37"), key: .zero))
    }
}
