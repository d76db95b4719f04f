import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT client: writing")
struct GATTWritingTests {
    typealias Value = AttributeValue

    /// A write that the server refuses.
    struct Refusal: CustomTestStringConvertible, Sendable {
        var identity: String
        var error: ATTErrorCode

        var testDescription: String { self.identity }
        var octet: String { hex(ByteBuffer(bytes: [self.error.rawValue])) }
    }

    @Test("GATT/CL/GAW/BV-01-C Write without response")
    func gawBV01() {
        var script = ClientScript()
        script.writeCommand(0x0007, hex("01 02 03"))
        script.play("> 52 07 00 01 02 03")
        #expect(script.reported == [])
        #expect(script.client.nextDeadline == nil)
        // One that is too long is cut to the MTU, and an empty one is one, too.
        script.writeCommand(0x0007, octets(30))
        script.writeCommand(0x0007, ByteBuffer())
        script.play("> 52 07 00 \(hex(octets(20))) \n > 52 07 00")
        // It does not wait for the answer to a request.
        script.start(.read(0x0003))
        script.writeCommand(0x0007, hex("04"))
        script.play("> 0A 03 00 \n > 52 07 00 04 \n < 0B 01")
    }

    @Test("GATT/CL/GAW/BV-03-C Write a characteristic value")
    func gawBV03() {
        #expect(ClientScript.run(.write(0x0007, hex("01 02 03")), "> 12 07 00 01 02 03 \n < 13") == .success(.done))
        #expect(ClientScript.run(.write(0x0007, ByteBuffer()), "> 12 07 00 \n < 13") == .success(.done))
        #expect(
            ClientScript.run(.write(0x0007, octets(20)), "> 12 07 00 \(hex(octets(20))) \n < 13") == .success(.done)
        )
        #expect(
            ClientScript.run(.write(0x0007, octets(512)), mtu: 515, "> 12 07 00 \(hex(octets(512))) \n < 13")
                == .success(.done)
        )
    }

    @Test(
        "A write that is refused ends with the server's error",
        arguments: [
            Refusal(identity: "GATT/CL/GAW/BI-02-C invalid handle", error: .invalidHandle),
            Refusal(identity: "GATT/CL/GAW/BI-03-C write not permitted", error: .writeNotPermitted),
            Refusal(identity: "GATT/CL/GAW/BI-04-C insufficient authorization", error: .insufficientAuthorization),
            Refusal(identity: "GATT/CL/GAW/BI-05-C insufficient authentication", error: .insufficientAuthentication),
            Refusal(identity: "GATT/CL/GAW/BI-06-C encryption key size too short", error: .encryptionKeySizeTooShort),
            Refusal(identity: "GATT/CL/GAW/BI-33-C invalid value length", error: .invalidAttributeValueLength),
            Refusal(identity: "value not allowed", error: .valueNotAllowed),
            Refusal(identity: "application error", error: ATTErrorCode(rawValue: 0x9F)),
        ]
    )
    func refused(_ refusal: Refusal) {
        #expect(
            ClientScript.run(.write(0x0007, hex("01")), "> 12 07 00 01 \n < 01 12 07 00 " + refusal.octet)
                == .failure(.att(refusal.error, handle: 0x0007))
        )
    }

    private static let longScript = """
        > 16 07 00 00 00 \(hex(octets(18)))
        < 17 07 00 00 00 \(hex(octets(18)))
        > 16 07 00 12 00 \(hex(octets(18, from: 18)))
        < 17 07 00 12 00 \(hex(octets(18, from: 18)))
        > 16 07 00 24 00 \(hex(octets(4, from: 36)))
        < 17 07 00 24 00 \(hex(octets(4, from: 36)))
        > 18 01

        """

    @Test("GATT/CL/GAW/BV-05-C Write a long characteristic value")
    func gawBV05() {
        #expect(ClientScript.run(.write(0x0007, octets(40)), Self.longScript + "< 19") == .success(.done))
    }

    @Test("GATT/CL/GAW/BV-10-C One long write after the other")
    func gawBV10() {
        var script = ClientScript()
        let first = script.start(.write(0x0007, octets(40)))
        let second = script.start(.write(0x0007, octets(40)))
        script.play(Self.longScript + "< 19 \n" + Self.longScript + "< 19")
        #expect(script.reported == [.complete(first, .success(.done)), .complete(second, .success(.done))])
    }

    @Test("GATT/CL/GAW/BV-05-C 512 octets, at every MTU", arguments: [23, 24, 65, 247, 513, 514])
    func gawBV05Longest(mtu: Int) throws {
        let value = octets(512)
        var script = ClientScript(mtu: mtu)
        let id = script.start(.write(0x0007, value))
        var written = ByteBuffer()
        var requests = script.takeSent()
        while let request = requests.first, requests.count == 1,
            request.getInteger(at: request.readerIndex) == UInt8(0x16)
        {
            let prepare = try ATTPrepareWriteRequest(parsing: request)
            #expect(Int(prepare.offset) == written.readableBytes)
            written.writeImmutableBuffer(prepare.value)
            let echo = ATTPrepareWriteResponse(handle: prepare.handle, offset: prepare.offset, value: prepare.value)
            script.receive(echo.encoded())
            requests = script.takeSent()
        }
        #expect(requests.map(hex) == ["18 01"])
        #expect(written == value)
        script.receive(hex("19"))
        #expect(script.reported == [.complete(id, .success(.done))])
    }

    @Test("sends no value that no attribute can hold")
    func tooLong() {
        let failure = ClientScript.Outcome.failure(.att(.invalidAttributeValueLength, handle: 0x0007))
        #expect(ClientScript.run(.write(0x0007, octets(513)), "") == failure)
        #expect(
            ClientScript.run(
                .writeReliably([Value(handle: 3, value: octets(1)), Value(handle: 7, value: octets(513))]),
                ""
            ) == failure
        )
    }

    @Test(
        "A long write whose first piece is refused ends with the error",
        arguments: [
            Refusal(identity: "GATT/CL/GAW/BI-07-C long write: invalid handle", error: .invalidHandle),
            Refusal(identity: "GATT/CL/GAW/BI-08-C long write: write not permitted", error: .writeNotPermitted),
            Refusal(
                identity: "GATT/CL/GAW/BI-11-C long write: insufficient authorization",
                error: .insufficientAuthorization
            ),
            Refusal(
                identity: "GATT/CL/GAW/BI-12-C long write: insufficient authentication",
                error: .insufficientAuthentication
            ),
            Refusal(
                identity: "GATT/CL/GAW/BI-13-C long write: encryption key size too short",
                error: .encryptionKeySizeTooShort
            ),
            Refusal(identity: "long write: prepare queue full", error: .prepareQueueFull),
        ]
    )
    func longRefused(_ refusal: Refusal) {
        // Nothing was prepared, so nothing is cancelled.
        #expect(
            ClientScript.run(
                .write(0x0007, octets(40)),
                "> 16 07 00 00 00 \(hex(octets(18))) \n < 01 16 07 00 " + refusal.octet
            ) == .failure(.att(refusal.error, handle: 0x0007))
        )
    }

    @Test(
        "A long write that is refused later cancels what was prepared",
        arguments: [
            Refusal(identity: "GATT/CL/GAW/BI-09-C long write: invalid offset", error: .invalidOffset),
            Refusal(identity: "long write: prepare queue full", error: .prepareQueueFull),
        ]
    )
    func longRefusedLater(_ refusal: Refusal) {
        let lines = """
            > 16 07 00 00 00 \(hex(octets(18)))
            < 17 07 00 00 00 \(hex(octets(18)))
            > 16 07 00 12 00 \(hex(octets(18, from: 18)))
            < 01 16 07 00 \(refusal.octet)
            > 18 00

            """
        // However the cancellation ends, the write has failed for the first reason.
        for end in ["< 19", "< 01 18 00 00 0E", "< 0B"] {
            #expect(
                ClientScript.run(.write(0x0007, octets(40)), lines + end)
                    == .failure(.att(refusal.error, handle: 0x0007))
            )
        }
    }

    @Test("GATT/CL/GAW/BI-34-C A long write that is refused when it is executed: invalid value length")
    func gawBI34() {
        #expect(
            ClientScript.run(.write(0x0007, octets(40)), Self.longScript + "< 01 18 07 00 0D")
                == .failure(.att(.invalidAttributeValueLength, handle: 0x0007))
        )
    }

    @Test("GATT/CL/GAW/BV-06-C Reliable writes of several values")
    func gawBV06() {
        #expect(
            ClientScript.run(
                .writeReliably([
                    Value(handle: 0x0007, value: hex("01 02")), Value(handle: 0x0009, value: octets(20)),
                    Value(handle: 0x000B, value: ByteBuffer()),
                ]),
                """
                > 16 07 00 00 00 01 02
                < 17 07 00 00 00 01 02
                > 16 09 00 00 00 \(hex(octets(18)))
                < 17 09 00 00 00 \(hex(octets(18)))
                > 16 09 00 12 00 12 13
                < 17 09 00 12 00 12 13
                > 16 0B 00 00 00
                < 17 0B 00 00 00
                > 18 01
                < 19
                """
            ) == .success(.done)
        )
        #expect(ClientScript.run(.writeReliably([]), "") == .success(.done))
        #expect(
            ClientScript.run(
                .writeReliably([Value(handle: 7, value: hex("01")), Value(handle: 7, value: hex("02"))]),
                """
                > 16 07 00 00 00 01
                < 17 07 00 00 00 01
                > 16 07 00 00 00 02
                < 01 16 07 00 09
                > 18 00
                < 19
                """
            ) == .failure(.att(.prepareQueueFull, handle: 7)),
            "what is refused later cancels all"
        )
    }

    @Test(
        "GATT/CL/GAW/BI-32-C A prepared value that comes back altered is cancelled",
        arguments: [
            "17 07 00 00 00 01 03", "17 07 00 00 00 01", "17 07 00 00 00 01 02 03", "17 09 00 00 00 01 02",
            "17 07 00 01 00 01 02", "17 07 00 00 00",
        ]
    )
    func gawBI32(echo: String) {
        #expect(
            ClientScript.run(
                .writeReliably([Value(handle: 0x0007, value: hex("01 02")), Value(handle: 0x0009, value: hex("03"))]),
                "> 16 07 00 00 00 01 02 \n < \(echo) \n > 18 00 \n < 19"
            ) == .failure(.reliableWriteMismatch)
        )
    }

    @Test("GATT/CL/GAW/BI-37-C A long write whose piece comes back altered is cancelled")
    func gawBI37() {
        #expect(
            ClientScript.run(
                .write(0x0007, octets(40)),
                """
                > 16 07 00 00 00 \(hex(octets(18)))
                < 17 07 00 00 00 \(hex(octets(18)))
                > 16 07 00 12 00 \(hex(octets(18, from: 18)))
                < 17 07 00 12 00 \(hex(octets(18, from: 19)))
                > 18 00
                < 19
                """
            ) == .failure(.reliableWriteMismatch)
        )
    }

    @Test("GATT/CL/GAW/BV-08-C Write a characteristic descriptor")
    func gawBV08() {
        #expect(ClientScript.run(.write(0x0008, hex("01 00")), "> 12 08 00 01 00 \n < 13") == .success(.done))
    }

    @Test("GATT/CL/GAW/BV-09-C Write a long characteristic descriptor")
    func gawBV09() {
        #expect(ClientScript.run(.write(0x0007, octets(40)), Self.longScript + "< 19") == .success(.done))
    }

    @Test("Hostile: refuses an answer to a write that breaks the rules")
    func hostile() {
        for answer in ["13 00", "0B", "19", "17 07 00 00 00 01", "01 18 07 00 01", "01 12"] {
            #expect(
                ClientScript.run(.write(0x0007, hex("01")), "> 12 07 00 01 \n < " + answer)
                    == .failure(.malformedResponse)
            )
        }
        // What the server has prepared is unknown: it is cancelled.
        for answer in ["17", "17 07 00 00", "13", "01 12 07 00 01"] {
            #expect(
                ClientScript.run(
                    .write(0x0007, octets(40)),
                    "> 16 07 00 00 00 \(hex(octets(18))) \n < \(answer) \n > 18 00 \n < 19"
                ) == .failure(.malformedResponse)
            )
        }
        for answer in ["19 00", "13", "01 16 07 00 01"] {
            #expect(
                ClientScript.run(.write(0x0007, octets(40)), Self.longScript + "< " + answer)
                    == .failure(.malformedResponse)
            )
        }
    }

    // MARK: Configurations

    @Test(
        "writes a known Client Characteristic Configuration at once",
        arguments: [
            (.indications, "02 00", "13", .success(.configured(nil))),
            ([], "00 00", "01 12 04 00 05", .failure(.att(.insufficientAuthentication, handle: 0x0004))),
            (.notifications, "01 00", "13 00", .failure(.malformedResponse)),
        ] as [(ClientCharacteristicConfiguration, String, String, ClientScript.Outcome)]
    )
    func knownConfiguration(
        configuration: ClientCharacteristicConfiguration,
        written: String,
        answer: String,
        outcome: ClientScript.Outcome
    ) {
        #expect(
            ClientScript.run(
                .configure(configuration, of: GATTClientTests.characteristic, at: 0x0004),
                "> 12 04 00 \(written) \n < \(answer)"
            ) == outcome
        )
    }

    @Test(
        "discovers an unknown Client Characteristic Configuration first",
        arguments: [
            (
                "05 01 04 00 01 29 05 00 02 29 \n > 12 05 00 01 00 \n < 13",
                .success(.configured([.init(uuid: 0x2901, handle: 0x0004), .init(uuid: 0x2902, handle: 0x0005)]))
            ), ("01 04 04 00 0A", .failure(.att(.attributeNotFound, handle: 0x0003))),
            ("01 04 04 00 0E", .failure(.att(.unlikelyError, handle: 0x0004))),
            ("05 07 04 00", .failure(.malformedResponse)),
        ] as [(String, ClientScript.Outcome)]
    )
    func unknownConfiguration(answers: String, outcome: ClientScript.Outcome) {
        #expect(
            ClientScript.run(
                .configure(.notifications, of: GATTClientTests.characteristic),
                "> 04 04 00 05 00 \n < " + answers
            ) == outcome
        )
    }
}
