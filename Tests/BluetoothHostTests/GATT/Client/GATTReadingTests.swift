import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT client: reading")
struct GATTReadingTests {
    private static let refusals =
        TitledScript.refusals(
            "read 0003",
            "0A 03 00",
            [
                ("GATT/CL/GAR/BI-01-C invalid handle", 0x01), ("GATT/CL/GAR/BI-02-C read not permitted", 0x02),
                ("GATT/CL/GAR/BI-03-C insufficient authorization", 0x08),
                ("GATT/CL/GAR/BI-04-C insufficient authentication", 0x05),
                ("GATT/CL/GAR/BI-05-C encryption key size too short", 0x0C),
                ("GATT/CL/GAR/BI-35-C application error, the value belongs to another transport", 0x80),
                ("insufficient encryption", 0x0F), ("invalid offset", 0x07), ("attribute not long", 0x0B),
                ("a reserved error code", 0x5A),
            ]
        )
        + TitledScript.refusals(
            "readByType 2A0D FFFF",
            "08 01 00 FF FF 0D 2A",
            [
                ("GATT/CL/GAR/BI-06-C read by type: read not permitted", 0x02),
                ("GATT/CL/GAR/BI-07-C read by type: attribute not found", 0x0A),
                ("GATT/CL/GAR/BI-09-C read by type: insufficient authorization", 0x08),
                ("GATT/CL/GAR/BI-10-C read by type: insufficient authentication", 0x05),
                ("GATT/CL/GAR/BI-11-C read by type: encryption key size too short", 0x0C),
            ]
        )
        + TitledScript.refusals(
            "read 0003 22",
            "0C 03 00 16 00",
            [
                ("GATT/CL/GAR/BI-12-C long read: read not permitted", 0x02),
                ("GATT/CL/GAR/BI-13-C long read: invalid offset", 0x07),
                ("GATT/CL/GAR/BI-14-C long read: invalid handle", 0x01),
                ("GATT/CL/GAR/BI-15-C long read: insufficient authorization", 0x08),
                ("GATT/CL/GAR/BI-16-C long read: insufficient authentication", 0x05),
                ("GATT/CL/GAR/BI-17-C long read: encryption key size too short", 0x0C),
                ("long read: attribute not long", 0x0B),
            ]
        )
        + TitledScript.refusals(
            "readMultiple 0003 0007",
            "0E 03 00 07 00",
            [
                ("GATT/CL/GAR/BI-18-C read multiple: read not permitted", 0x02),
                ("GATT/CL/GAR/BI-19-C read multiple: invalid handle", 0x01),
                ("GATT/CL/GAR/BI-20-C read multiple: insufficient authorization", 0x08),
                ("GATT/CL/GAR/BI-21-C read multiple: insufficient authentication", 0x05),
                ("GATT/CL/GAR/BI-22-C read multiple: encryption key size too short", 0x0C),
            ]
        )
        + TitledScript.refusals(
            "readVariable 0003 0007",
            "20 03 00 07 00",
            [("read multiple variable: insufficient authentication", 0x05)]
        )

    private static let scripts = TitledScript.all(
        """
        ## GATT/CL/GAR/BV-01-C Read a characteristic value
        read 0003 > 0A 03 00 < 0B 01 02 03 04 05 = 01 02 03 04 05
        read 0003 > 0A 03 00 < 0B =

        ## GATT/CL/GAR/BV-03-C Read using a characteristic UUID
        readByType 2A0D 0020
        > 08 01 00 20 00 0D 2A < 09 05 01 00 AA BB CC  20 00 01 02 03
        = 0001: AA BB CC, 0020: 01 02 03
        readByType 8E9A0002-1D8B-4C7F-9E0A-0123456789AB FFFF
        > 08 01 00 FF FF AB 89 67 45 23 01 0A 9E 7F 4C 8B 1D 02 00 9A 8E < 09 02 14 00
        = 0014:

        ## GATT/CL/GAR/BV-04-C Read a long characteristic value
        read 0003
        > 0A 03 00 < 0B 00..15
        > 0C 03 00 16 00 < 0D 16..2B
        > 0C 03 00 2C 00 < 0D 2C..31
        = 00..31

        ## GATT/CL/GAR/BV-04-C A value that fills the last answer
        read 0003
        > 0A 03 00 < 0B 00..15
        > 0C 03 00 16 00 < 0D
        = 00..15
        read 0003
        > 0A 03 00 < 0B 00..15
        > 0C 03 00 16 00 < 01 0C 03 00 07     # invalid offset
        = 00..15
        read 0003
        > 0A 03 00 < 0B 00..15
        > 0C 03 00 16 00 < 01 0C 03 00 0B     # attribute not long
        = 00..15

        ## GATT/CL/GAR/BV-04-C An error in the middle loses the value
        read 0003
        > 0A 03 00 < 0B 00..15
        > 0C 03 00 16 00 < 01 0C 03 00 0F
        = error 0F 0003

        ## reads a value from an octet on, up to the 512th
        read 0003 22 > 0C 03 00 16 00 < 0D 01 02 = 01 02
        read 0003 490 > 0C 03 00 EA 01 < 0D 00..15 = 00..15
        read 0003 511 > 0C 03 00 FF 01 < 0D 01 = 01
        read 0003 512 > 0C 03 00 00 02 < 0D =
        read 0003 -1 = error 07 0003
        read 0003 513 = error 07 0003
        read 0003 70000 = error 07 0003

        ## GATT/CL/GAR/BV-05-C Read multiple characteristic values
        readMultiple 0003 0007 > 0E 03 00 07 00 < 0F 01 02 03 = 01 02 03

        ## GATT/CL/GAR/BV-06-C Read a characteristic descriptor
        read 0005 > 0A 05 00 < 0B 02 00 = 02 00

        ## GATT/CL/GAR/BV-07-C Read a long characteristic descriptor
        read 0005
        > 0A 05 00 < 0B 00..15
        > 0C 05 00 16 00 < 0D 16 17
        = 00..17

        ## reads multiple values of variable length, without those that the end of the PDU cuts
        readVariable 0003 0007 0009
        > 20 03 00 07 00 09 00 < 21 02 00 AA BB 00 00 01 00 CC
        = 0003: AA BB, 0007: , 0009: CC
        readVariable 0003 0007 0009 > 20 03 00 07 00 09 00 < 21 02 00 AA BB 05 00 01 02 = 0003: AA BB

        ## sends no request for several values that no server would take, and one that fits the MTU to its last octet
        readMultiple = error 04 0000
        readVariable 0003 = error 04 0003
        readMultiple 0001 0002 0003 0004 0005 0006 0007 0008 0009 000A 000B 000C = error 04 0001
        mtu 24
        readVariable 0001 0002 0003 0004 0005 0006 0007 0008 0009 000A 000B 000C = error 04 0001
        mtu 25
        readVariable 0001 0002 0003 0004 0005 0006 0007 0008 0009 000A 000B 000C
        > 20 01 00 02 00 03 00 04 00 05 00 06 00 07 00 08 00 09 00 0A 00 0B 00 0C 00 < 21 00 00
        = 0001:

        ## GATT/CL/GAR/BV-03-C A device name that fills the answer is read on by its handle, and cut at 248 octets
        readDeviceName > 08 01 00 FF FF 00 2A < 09 14 03 00 00..11 = 00..11  # one octet less than the longest
        readDeviceName
        > 08 01 00 FF FF 00 2A < 09 15 03 00 00..12
        > 0A 03 00 < 0B 00..13
        = 00..13
        mtu 517
        readDeviceName > 08 01 00 FF FF 00 2A < 09 FE 03 00 00..FB = 00..F7
        readDeviceName
        > 08 01 00 FF FF 00 2A < 09 FF 03 00 00..FC
        > 0A 03 00 < 0B 00..FF 00..2B
        = 00..F7

        ## ends with the error if a device name, or the rest of it, is refused or malformed
        readDeviceName > 08 01 00 FF FF 00 2A < 01 08 01 00 0A = error 0A 0001
        readDeviceName
        > 08 01 00 FF FF 00 2A < 09 15 03 00 00..12
        > 0A 03 00 < 01 0A 03 00 02
        = error 02 0003
        readDeviceName
        > 08 01 00 FF FF 00 2A < 09 15 03 00 00..12
        > 0A 03 00 < 0D 00
        = malformed
        """
    )

    @Test("follows the script, and ends a read that is refused with its error", arguments: Self.scripts + Self.refusals)
    func script(_ script: TitledScript) { script.runOnClient() }

    // MARK: Lengths

    @Test("R3 ignores what a server sends beyond 512 octets", arguments: [(517, 0), (517, 511), (23, 500), (300, 300)])
    func beyondTheLongest(mtu: Int, offset: Int) {
        var script = ClientScript(mtu: mtu)
        let id = script.start(.read(0x0003, offset: offset))
        var isFirst = true
        while script.reported.isEmpty {
            #expect(script.takeSent().count == 1)
            var answer = ByteBuffer(bytes: [isFirst && offset == 0 ? 0x0B : 0x0D])
            isFirst = false
            answer.writeRepeatingByte(7, count: mtu - 1)
            script.receive(answer)
        }
        #expect(script.reported == [.complete(id, .success(.value(ByteBuffer(repeating: 7, count: 512 - offset))))])
    }

    /// The requests and answers behind the first request, after which the MTU changes; how many octets are read.
    @Test(
        "reads a whole value while the local server agrees on another MTU",
        arguments: [
            (23, 100, ["0B 22", "0D 5"], 27), (23, 100, ["0B 99", "0D 1"], 100), (23, 100, ["0B 98"], 98),
            (23, 100, ["0B 100"], nil), (23, 100, ["0B 22", "0D 22"], 44), (100, 23, ["0B 99", "0D 1"], 100),
            (100, 23, ["0B 22", "0D 0"], 22), (100, 23, ["0B 23"], 23),
        ] as [(Int, Int, [String], Int?)]
    )
    func changingMTU(mtu: Int, next: Int, answers: [String], read: Int?) {
        var script = ClientScript(mtu: mtu)
        let id = script.start(.read(0x0003))
        script.play("> 0A 03 00")
        script.setMTU(next)
        var (lines, count) = ("", 0)
        for answer in answers {
            if count > 0 { lines += "> 0C 03 00 \(octet(count)) 00 \n" }
            let length = Int(answer.dropFirst(3)) ?? 0
            lines += "< \(answer.prefix(2)) \(hex(octets(length, from: UInt8(count)))) \n"
            count += length
        }
        script.play(lines)
        let outcome = read.map { ClientScript.Outcome.success(.value(octets($0))) } ?? .failure(.malformedResponse)
        #expect(script.reported == [.complete(id, outcome)])
    }
}
