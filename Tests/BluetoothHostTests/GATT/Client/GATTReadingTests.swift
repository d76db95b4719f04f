import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT client: reading")
struct GATTReadingTests {
    typealias Procedure = ClientProcedure
    typealias Value = AttributeValue

    /// A read that the server refuses: the case, the request that must leave, and the error.
    struct Refusal: CustomTestStringConvertible, Sendable {
        var identity: String
        var procedure: Procedure
        var request: String
        var error: ATTErrorCode

        var testDescription: String { self.identity }
    }

    private static func refusals(
        _ procedure: Procedure,
        _ request: String,
        _ cases: [(String, ATTErrorCode)]
    ) -> [Refusal] {
        cases.map { Refusal(identity: $0.0, procedure: procedure, request: request, error: $0.1) }
    }

    private static let refusals: [Refusal] =
        refusals(
            .read(0x0003),
            "0A 03 00",
            [
                ("GATT/CL/GAR/BI-01-C invalid handle", .invalidHandle),
                ("GATT/CL/GAR/BI-02-C read not permitted", .readNotPermitted),
                ("GATT/CL/GAR/BI-03-C insufficient authorization", .insufficientAuthorization),
                ("GATT/CL/GAR/BI-04-C insufficient authentication", .insufficientAuthentication),
                ("GATT/CL/GAR/BI-05-C encryption key size too short", .encryptionKeySizeTooShort),
                (
                    "GATT/CL/GAR/BI-35-C application error, the value belongs to another transport",
                    ATTErrorCode(rawValue: 0x80)
                ),
                ("insufficient encryption", .insufficientEncryption), ("invalid offset", .invalidOffset),
                ("attribute not long", .attributeNotLong),
                ("unlikely error", .unlikelyError),
                ("a reserved error code", ATTErrorCode(rawValue: 0x5A)),
            ]
        )
        + refusals(
            .readByType(0x2A0D, 0x0001...0xFFFF),
            "08 01 00 FF FF 0D 2A",
            [
                ("GATT/CL/GAR/BI-06-C read by type: read not permitted", .readNotPermitted),
                ("GATT/CL/GAR/BI-07-C read by type: attribute not found", .attributeNotFound),
                ("GATT/CL/GAR/BI-09-C read by type: insufficient authorization", .insufficientAuthorization),
                ("GATT/CL/GAR/BI-10-C read by type: insufficient authentication", .insufficientAuthentication),
                ("GATT/CL/GAR/BI-11-C read by type: encryption key size too short", .encryptionKeySizeTooShort),
            ]
        )
        + refusals(
            .read(0x0003, offset: 22),
            "0C 03 00 16 00",
            [
                ("GATT/CL/GAR/BI-12-C long read: read not permitted", .readNotPermitted),
                ("GATT/CL/GAR/BI-13-C long read: invalid offset", .invalidOffset),
                ("GATT/CL/GAR/BI-14-C long read: invalid handle", .invalidHandle),
                ("GATT/CL/GAR/BI-15-C long read: insufficient authorization", .insufficientAuthorization),
                ("GATT/CL/GAR/BI-16-C long read: insufficient authentication", .insufficientAuthentication),
                ("GATT/CL/GAR/BI-17-C long read: encryption key size too short", .encryptionKeySizeTooShort),
                ("long read: attribute not long", .attributeNotLong),
            ]
        )
        + refusals(
            .readMultiple([0x0003, 0x0007]),
            "0E 03 00 07 00",
            [
                ("GATT/CL/GAR/BI-18-C read multiple: read not permitted", .readNotPermitted),
                ("GATT/CL/GAR/BI-19-C read multiple: invalid handle", .invalidHandle),
                ("GATT/CL/GAR/BI-20-C read multiple: insufficient authorization", .insufficientAuthorization),
                ("GATT/CL/GAR/BI-21-C read multiple: insufficient authentication", .insufficientAuthentication),
                ("GATT/CL/GAR/BI-22-C read multiple: encryption key size too short", .encryptionKeySizeTooShort),
            ]
        )
        + refusals(
            .readMultipleVariable([0x0003, 0x0007]),
            "20 03 00 07 00",
            [
                ("read multiple variable: read not permitted", .readNotPermitted),
                ("read multiple variable: invalid handle", .invalidHandle),
                ("read multiple variable: insufficient authentication", .insufficientAuthentication),
            ]
        )

    @Test("A read that is refused ends with the server's error", arguments: Self.refusals)
    func refused(_ refusal: Refusal) {
        let request = refusal.request
        let answer = "01 \(request.prefix(2)) 03 00 " + hex(ByteBuffer(bytes: [refusal.error.rawValue]))
        #expect(
            ClientScript.run(refusal.procedure, "> \(request) \n < \(answer)")
                == .failure(.att(refusal.error, handle: 0x0003))
        )
    }

    @Test("GATT/CL/GAR/BV-01-C Read a characteristic value", arguments: ["", "00", "01 02 03 04 05"])
    func garBV01(value: String) {
        #expect(ClientScript.run(.read(0x0003), "> 0A 03 00 \n < 0B " + value) == .success(.value(hex(value))))
    }

    @Test("GATT/CL/GAR/BV-03-C Read using a characteristic UUID")
    func garBV03() {
        #expect(
            ClientScript.run(
                .readByType(0x2A0D, 0x0001...0x0020),
                """
                > 08 01 00 20 00 0D 2A
                < 09 05 01 00 AA BB CC  20 00 01 02 03
                """
            )
                == .success(
                    .values([
                        Value(handle: 0x0001, value: hex("AA BB CC")), Value(handle: 0x0020, value: hex("01 02 03")),
                    ])
                )
        )
        let long = BluetoothUUID("8E9A0002-1D8B-4C7F-9E0A-0123456789AB") ?? 0
        #expect(
            ClientScript.run(
                .readByType(long, 0x0001...0xFFFF),
                """
                > 08 01 00 FF FF AB 89 67 45 23 01 0A 9E 7F 4C 8B 1D 02 00 9A 8E
                < 09 02 14 00
                """
            ) == .success(.values([Value(handle: 0x0014, value: ByteBuffer())]))
        )
    }

    @Test("GATT/CL/GAR/BV-04-C Read a long characteristic value")
    func garBV04() {
        let value = octets(50)
        func part(_ range: Range<Int>) -> String {
            hex(value.getSlice(at: range.lowerBound, length: range.count) ?? value)
        }
        #expect(
            ClientScript.run(
                .read(0x0003),
                """
                > 0A 03 00
                < 0B \(part(0..<22))
                > 0C 03 00 16 00
                < 0D \(part(22..<44))
                > 0C 03 00 2C 00
                < 0D \(part(44..<50))
                """
            ) == .success(.value(value))
        )
    }

    @Test(
        "GATT/CL/GAR/BV-04-C A value that fills the last answer",
        arguments: ["0D", "01 0C 03 00 07", "01 0C 03 00 0B"]
    )
    func garBV04Full(last: String) {
        #expect(
            ClientScript.run(
                .read(0x0003),
                """
                > 0A 03 00
                < 0B \(hex(octets(22)))
                > 0C 03 00 16 00
                < \(last)
                """
            ) == .success(.value(octets(22)))
        )
    }

    @Test("GATT/CL/GAR/BV-04-C A value of 512 octets, at MTU 23, 247 and 517", arguments: [23, 65, 247, 512, 513, 517])
    func garBV04Longest(mtu: Int) {
        let value = octets(512)
        var script = ClientScript(mtu: mtu)
        let id = script.start(.read(0x0003))
        var offset = 0
        script.play("> 0A 03 00")
        while script.reported.isEmpty, offset <= 512 {
            let length = min(mtu - 1, 512 - offset)
            var answer = ByteBuffer(bytes: [offset == 0 ? 0x0B : 0x0D])
            answer.writeImmutableBuffer(value.getSlice(at: offset, length: length) ?? ByteBuffer())
            script.receive(answer)
            offset += length
            guard let request = script.takeSent().first else { break }
            let little = ByteBuffer(bytes: [UInt8(offset & 0xFF), UInt8(offset >> 8)])
            #expect(hex(request) == "0C 03 00 " + hex(little))
        }
        #expect(script.reported == [.complete(id, .success(.value(value)))])
        #expect(offset == 512)
    }

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

    @Test("GATT/CL/GAR/BV-04-C An error in the middle loses the value")
    func garBV04Error() {
        #expect(
            ClientScript.run(
                .read(0x0003),
                "> 0A 03 00 \n < 0B \(hex(octets(22))) \n > 0C 03 00 16 00 \n < 01 0C 03 00 0F"
            ) == .failure(.att(.insufficientEncryption, handle: 0x0003))
        )
    }

    @Test("reads a value from an octet on, up to the 512th")
    func fromOffset() {
        #expect(
            ClientScript.run(.read(0x0003, offset: 22), "> 0C 03 00 16 00 \n < 0D 01 02")
                == .success(.value(hex("01 02")))
        )
        #expect(
            ClientScript.run(
                .read(0x0003, offset: 490),
                "> 0C 03 00 EA 01 \n < 0D \(hex(octets(22)))"
            ) == .success(.value(octets(22)))
        )
        #expect(ClientScript.run(.read(0x0003, offset: 0), "> 0A 03 00 \n < 0B 01") == .success(.value(hex("01"))))
        for (offset, lines, value) in [
            (511, "> 0C 03 00 FF 01 \n < 0D 01", "01"), (512, "> 0C 03 00 00 02 \n < 0D", ""),
        ] {
            #expect(ClientScript.run(.read(0x0003, offset: offset), lines) == .success(.value(hex(value))))
        }
        for offset in [-1, 513, 70_000] {
            #expect(
                ClientScript.run(.read(0x0003, offset: offset), "")
                    == .failure(.att(.invalidOffset, handle: 0x0003))
            )
        }
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

    @Test("GATT/CL/GAR/BV-05-C Read multiple characteristic values")
    func garBV05() {
        #expect(
            ClientScript.run(.readMultiple([0x0003, 0x0007]), "> 0E 03 00 07 00 \n < 0F 01 02 03")
                == .success(.value(hex("01 02 03")))
        )
    }

    @Test("GATT/CL/GAR/BV-06-C Read a characteristic descriptor")
    func garBV06() {
        #expect(ClientScript.run(.read(0x0005), "> 0A 05 00 \n < 0B 02 00") == .success(.value(hex("02 00"))))
    }

    @Test("GATT/CL/GAR/BV-07-C Read a long characteristic descriptor")
    func garBV07() {
        #expect(
            ClientScript.run(
                .read(0x0005),
                "> 0A 05 00 \n < 0B \(hex(octets(22))) \n > 0C 05 00 16 00 \n < 0D 16 17"
            ) == .success(.value(octets(24)))
        )
    }

    @Test("reads multiple values of variable length, without those that the end of the PDU cuts")
    func multipleVariable() {
        let handles: [AttributeHandle] = [0x0003, 0x0007, 0x0009]
        let request = "> 20 03 00 07 00 09 00 \n "
        #expect(
            ClientScript.run(.readMultipleVariable(handles), request + "< 21 02 00 AA BB 00 00 01 00 CC")
                == .success(
                    .values([
                        Value(handle: 0x0003, value: hex("AA BB")), Value(handle: 0x0007, value: ByteBuffer()),
                        Value(handle: 0x0009, value: hex("CC")),
                    ])
                )
        )
        // The end of the PDU cuts the second value, and there is no third.
        #expect(
            ClientScript.run(.readMultipleVariable(handles), request + "< 21 02 00 AA BB 05 00 01 02")
                == .success(.values([Value(handle: 0x0003, value: hex("AA BB"))]))
        )
        for answer in ["21", "21 05", "21 05 00 AA", "21 00 00 00 00 00 00 00 00", "21 00 00 00 00 00 00 AA AA"] {
            #expect(
                ClientScript.run(.readMultipleVariable(handles), request + "< " + answer)
                    == .failure(.malformedResponse),
                "\(answer)"
            )
        }
    }

    @Test("sends no request for several values that no server would take, and one that fits the MTU to its last octet")
    func severalValues() {
        let handles = (1...12).map { AttributeHandle($0) }
        for (handles, mtu) in [([], 23), ([0x0003], 23), (handles, 23), (handles, 24)] {
            let failure = ClientScript.Outcome.failure(.att(.invalidPDU, handle: handles.first ?? 0))
            #expect(ClientScript.run(.readMultiple(handles), mtu: mtu, "") == failure)
            #expect(ClientScript.run(.readMultipleVariable(handles), mtu: mtu, "") == failure)
        }
        let request = handles.prefix(11).map { "\(octet(Int($0))) 00" }.joined(separator: " ")
        #expect(
            ClientScript.run(.readMultiple(Array(handles.prefix(11))), "> 0E \(request) \n < 0F")
                == .success(.value(ByteBuffer()))
        )
        #expect(
            ClientScript.run(.readMultipleVariable(handles), mtu: 25, "> 20 \(request) 0C 00 \n < 21 00 00")
                == .success(.values([Value(handle: 1, value: ByteBuffer())]))
        )
    }

    // MARK: The device name

    @Test(
        "GATT/CL/GAR/BV-03-C A device name that fills the answer is read on by its handle, and cut at 248 octets",
        arguments: [(23, 3, nil), (23, 18, nil), (23, 19, 19), (517, 248, nil), (517, 252, nil), (517, 253, 300)]
            as [(Int, Int, Int?)]
    )
    func deviceName(mtu: Int, shown: Int, read: Int?) {
        let rest = read.map { "\n > 0A 03 00 \n < 0B \(hex(octets($0)))" } ?? ""
        #expect(
            ClientScript.run(
                .readDeviceName,
                mtu: mtu,
                "> 08 01 00 FF FF 00 2A \n < 09 \(octet(shown + 2)) 03 00 \(hex(octets(shown)))" + rest
            ) == .success(.value(octets(min(248, read ?? shown))))
        )
    }

    @Test(
        "ends with the error if a device name, or the rest of it, is refused or malformed",
        arguments: [
            ("01 08 01 00 0A", .att(.attributeNotFound, handle: 1)), ("09 02", .malformedResponse),
            ("09 15 03 00 \(hex(octets(19))) \n > 0A 03 00 \n < 01 0A 03 00 02", .att(.readNotPermitted, handle: 3)),
            ("09 15 03 00 \(hex(octets(19))) \n > 0A 03 00 \n < 0D 00", .malformedResponse),
        ] as [(String, GATTError)]
    )
    func deviceNameRefused(answers: String, error: GATTError) {
        #expect(ClientScript.run(.readDeviceName, "> 08 01 00 FF FF 00 2A \n < " + answers) == .failure(error))
    }

    @Test("Hostile: refuses an answer to a read that breaks the rules")
    func hostile() {
        // Longer than the MTU, another opcode, another request's error, an error cut short.
        for answer in [
            "0B" + hex(octets(23)), "0D 00", "13", "01 0C 03 00 01", "01 0A 03 00", "01 0A 03 00 01 00", "03 17 00",
        ] {
            #expect(ClientScript.run(.read(0x0003), "> 0A 03 00 \n < " + answer) == .failure(.malformedResponse))
        }
        for answer in [
            "09", "09 02", "09 01 14", "09 05 14 00 AA BB", "09 00 14 00", "09 02 00 00", "09 02 21 00",
            "09 02 14 00 14 00", "09 02 15 00 14 00",
        ] {
            #expect(
                ClientScript.run(.readByType(0x2A0D, 0x0001...0x0020), "> 08 01 00 20 00 0D 2A \n < " + answer)
                    == .failure(.malformedResponse),
                "\(answer)"
            )
        }
    }
}
