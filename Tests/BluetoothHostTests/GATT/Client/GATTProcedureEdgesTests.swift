// Procedures of a client at their edges: answers that just fill a PDU, an MTU that changes in between, errors in the
// middle, and what else is sent meanwhile.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT client: edges of procedures")
struct GATTProcedureEdgesTests {
    typealias Value = AttributeValue

    // MARK: The device name

    @Test("A device name is read on by its handle where it fills the answer, and not where it is an octet shorter")
    func deviceName() {
        let ask = "> 08 01 00 FF FF 00 2A \n < 09"
        #expect(
            ClientScript.run(.readDeviceName, "\(ask) 14 03 00 \(hex(octets(18)))") == .success(.value(octets(18)))
        )
        #expect(
            ClientScript.run(
                .readDeviceName,
                "\(ask) 15 03 00 \(hex(octets(19))) \n > 0A 03 00 \n < 0B \(hex(octets(19)))"
            ) == .success(.value(octets(19)))
        )
        #expect(
            ClientScript.run(.readDeviceName, mtu: 517, "\(ask) FE 03 00 \(hex(octets(252)))")
                == .success(.value(octets(252)))
        )
        #expect(
            ClientScript.run(
                .readDeviceName,
                mtu: 517,
                "\(ask) FF 03 00 \(hex(octets(253))) \n > 0A 03 00 \n < 0B \(hex(octets(300)))"
            ) == .success(.value(octets(300)))
        )
    }

    @Test("A device name whose rest is refused ends with the error, and one whose rest is malformed with that")
    func deviceNameRefused() {
        let lines = "> 08 01 00 FF FF 00 2A \n < 09 15 03 00 \(hex(octets(19))) \n > 0A 03 00 \n < "
        #expect(
            ClientScript.run(.readDeviceName, lines + "01 0A 03 00 02")
                == .failure(.att(.readNotPermitted, handle: 0x0003))
        )
        #expect(ClientScript.run(.readDeviceName, lines + "0D 00") == .failure(.malformedResponse))
        #expect(
            ClientScript.run(.readDeviceName, "> 08 01 00 FF FF 00 2A \n < 09 02") == .failure(.malformedResponse)
        )
    }

    // MARK: The MTU

    @Test("An exchange of the MTU that is refused for want of security is over when the refusal is accepted")
    func exchangeRefused() {
        for error: GATTError? in [nil, .pairingTimedOut] {
            var script = ClientScript()
            script.awaitsSecurity = true
            let id = script.start(.exchangeMTU(preferred: 517))
            script.play("> 02 05 02 \n < 01 02 00 00 0F")
            #expect(script.takeReported() == [.needsSecurity(.encrypted)])
            #expect(script.client.isExchangingMTU)
            script.acceptRefusal(error)
            let reported = error ?? .att(.insufficientEncryption, handle: 0)
            #expect(script.takeReported() == [.complete(id, .failure(reported))])
            #expect(!script.client.isExchangingMTU && script.client.mtu == 23)
        }
    }

    @Test("A server that does not know the exchange of the MTU leaves one that its client has made")
    func exchangeUnknown() {
        #expect(
            ClientScript.run(.exchangeMTU(preferred: 517), mtu: 100, "> 02 05 02 \n < 01 02 00 00 06")
                == .success(.mtu(100))
        )
    }

    // MARK: Long values

    @Test("A value may be read from its 512th octet on, where nothing can be")
    func lastOffset() {
        #expect(
            ClientScript.run(.readLong(0x0003, offset: 512), "> 0C 03 00 00 02 \n < 0D")
                == .success(.value(ByteBuffer()))
        )
        #expect(
            ClientScript.run(.readLong(0x0003, offset: 512), "> 0C 03 00 00 02 \n < 0D 01")
                == .failure(.malformedResponse)
        )
        #expect(
            ClientScript.run(.readLong(0x0003, offset: 511), "> 0C 03 00 FF 01 \n < 0D 01")
                == .success(.value(hex("01")))
        )
    }

    /// Reads 0003 on a link whose MTU changes after the first request.
    private static func read(
        mtu: Int,
        then next: Int,
        _ lines: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> [ClientScript.Action] {
        var script = ClientScript(mtu: mtu)
        script.start(.read(0x0003))
        script.play("> 0A 03 00", sourceLocation: sourceLocation)
        script.setMTU(next)
        script.play(lines, sourceLocation: sourceLocation)
        return script.takeReported()
    }

    private static func completed(_ value: ByteBuffer) -> [ClientScript.Action] {
        [.complete(GATTProcedureID(rawValue: 1), .success(.value(value)))]
    }

    @Test("An answer that fills the new MTU is full, and no answer is longer")
    func greaterMTU() {
        #expect(
            Self.read(mtu: 23, then: 100, "< 0B \(hex(octets(99))) \n > 0C 03 00 63 00 \n < 0D 63")
                == Self.completed(octets(100))
        )
        #expect(Self.read(mtu: 23, then: 100, "< 0B \(hex(octets(98)))") == Self.completed(octets(98)))
        #expect(
            Self.read(mtu: 23, then: 100, "< 0B \(hex(octets(100)))")
                == [.complete(GATTProcedureID(rawValue: 1), .failure(.malformedResponse))]
        )
    }

    @Test("An answer to a request under the new MTU is not full where it would have filled the old one")
    func secondAnswer() {
        #expect(
            Self.read(
                mtu: 23,
                then: 100,
                "< 0B \(hex(octets(22))) \n > 0C 03 00 16 00 \n < 0D \(hex(octets(22, from: 22)))"
            ) == Self.completed(octets(44))
        )
    }

    @Test("Under a smaller MTU an answer may fill the one of its request")
    func smallerMTU() {
        #expect(
            Self.read(mtu: 100, then: 23, "< 0B \(hex(octets(99))) \n > 0C 03 00 63 00 \n < 0D 63")
                == Self.completed(octets(100))
        )
        #expect(
            Self.read(mtu: 100, then: 23, "< 0B \(hex(octets(22))) \n > 0C 03 00 16 00 \n < 0D")
                == Self.completed(octets(22))
        )
        #expect(Self.read(mtu: 100, then: 23, "< 0B \(hex(octets(23)))") == Self.completed(octets(23)))
    }

    @Test("Only of a value that has come may an error say that there is no more of it", arguments: ["07", "0B"])
    func noMore(code: String) throws {
        let error = ATTErrorCode(rawValue: try #require(UInt8(code, radix: 16)))
        #expect(
            ClientScript.run(.read(0x0003), "> 0A 03 00 \n < 01 0A 03 00 \(code)")
                == .failure(.att(error, handle: 0x0003))
        )
    }

    // MARK: Several values

    @Test("Several values are asked for where the request fits the MTU to its last octet")
    func severalValues() {
        let handles = (1...11).map { AttributeHandle($0) }
        let request = "01 00 02 00 03 00 04 00 05 00 06 00 07 00 08 00 09 00 0A 00 0B 00"
        #expect(
            ClientScript.run(.readMultipleVariable(handles), "> 20 \(request) \n < 21 01 00 AA")
                == .success(.values([Value(handle: 1, value: hex("AA"))]))
        )
        let failure = ClientScript.Outcome.failure(.att(.invalidPDU, handle: 1))
        #expect(ClientScript.run(.readMultipleVariable(handles + [12]), "") == failure)
        #expect(
            ClientScript.run(.readMultipleVariable(handles + [12]), mtu: 25, "> 20 \(request) 0C 00 \n < 21 00 00")
                == .success(.values([Value(handle: 1, value: ByteBuffer())]))
        )
        #expect(ClientScript.run(.readMultiple(handles + [12]), mtu: 24, "") == failure)
    }

    @Test("A list of values of a type ends with the last handle that was asked for")
    func lastHandle() {
        #expect(
            ClientScript.run(
                .readByType(0x2A0D, 0x0010...0x0020),
                "> 08 10 00 20 00 0D 2A \n < 09 03 10 00 AA 20 00 BB"
            ) == .success(.values([Value(handle: 0x10, value: hex("AA")), Value(handle: 0x20, value: hex("BB"))]))
        )
        for handle in ["0F 00", "21 00"] {
            #expect(
                ClientScript.run(
                    .readByType(0x2A0D, 0x0010...0x0020),
                    "> 08 10 00 20 00 0D 2A \n < 09 03 \(handle) AA"
                ) == .failure(.malformedResponse)
            )
        }
    }

    // MARK: Included services

    @Test("An included service may have one handle, and what it includes may stand at both ends of the service")
    func includedEnds() {
        #expect(
            ClientScript.run(
                .discoverIncludedServices(0x0020...0x0021),
                """
                > 08 20 00 21 00 02 28
                < 09 08 20 00 50 00 50 00 0F 18 21 00 51 00 51 00 0A 18
                > 04 50 00 50 00
                < 05 01 50 00 00 28
                > 04 51 00 51 00
                < 05 01 51 00 01 28
                """
            )
                == .success(
                    .services([
                        GATTRemoteService(uuid: 0x180F, handles: 0x0050...0x0050, isPrimary: true),
                        GATTRemoteService(uuid: 0x180A, handles: 0x0051...0x0051, isPrimary: false),
                    ])
                )
        )
    }

    @Test(
        "An error for the declaration of an included service ends the procedure, whatever it is",
        arguments: [("02", .readNotPermitted), ("0A", .attributeNotFound)] as [(String, ATTErrorCode)]
    )
    func includedRefused(code: String, error: ATTErrorCode) {
        let lines = "> 08 20 00 21 00 02 28 \n < 09 06 21 00 50 00 58 00 \n > 0A 50 00 \n < "
        let failure = ClientScript.Outcome.failure(.att(error, handle: 0x0050))
        #expect(
            ClientScript.run(.discoverIncludedServices(0x0020...0x0021), lines + "01 0A 50 00 \(code)") == failure
        )
        #expect(
            ClientScript.run(
                .discoverIncludedServices(0x0020...0x0021),
                lines + "0B \(hex(octets(16))) \n > 04 50 00 50 00 \n < 01 04 50 00 \(code)"
            ) == failure
        )
    }

    // MARK: Writing

    @Test("A command waits for the end of a long write, and not for the answer to a short one")
    func commands() {
        var script = ClientScript()
        script.start(.write(0x0007, octets(21)))
        script.writeCommand(0x0009, hex("01"))
        script.play(
            """
            > 16 07 00 00 00 \(hex(octets(18)))
            < 17 07 00 00 00 \(hex(octets(18)))
            > 16 07 00 12 00 12 13 14
            < 17 07 00 12 00 12 13 14
            > 18 01
            < 19
            > 52 09 00 01
            """
        )
        script.start(.write(0x0007, octets(20)))
        script.writeCommand(0x0009, hex("02"))
        script.play("> 12 07 00 \(hex(octets(20))) \n > 52 09 00 02 \n < 13")
    }

    @Test("A command waits for a long write that is cancelled, until the server has answered that")
    func cancelled() {
        var script = ClientScript()
        let id = script.start(.write(0x0007, octets(21)))
        script.writeCommand(0x0009, hex("01"))
        script.play("> 16 07 00 00 00 \(hex(octets(18))) \n < 17 07 00 00 00 00 \n > 18 00")
        #expect(script.takeReported().isEmpty)
        script.play("< 19 \n > 52 09 00 01")
        #expect(script.takeReported() == [.complete(id, .failure(.reliableWriteMismatch))])
    }

    @Test("Reliable writes of which the second one is refused are cancelled")
    func reliable() {
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
            ) == .failure(.att(.prepareQueueFull, handle: 7))
        )
    }

    // MARK: What is not said

    @Test("All characteristics, and all services, are looked for where no UUIDs are named")
    func allOfThem() {
        var script = ClientScript()
        let characteristics = script.start(
            whenItsTurnComes: { () -> DiscoverCharacteristics? in DiscoverCharacteristics(of: 0x0001...0x0009) },
            ClientProcedure.Output.characteristics
        )
        script.play(
            """
            > 08 01 00 09 00 03 28
            < 09 07 02 00 02 03 00 00 2A
            > 08 03 00 09 00 03 28
            < 01 08 03 00 0A
            """
        )
        let found = GATTRemoteCharacteristic(
            uuid: 0x2A00,
            properties: .read,
            declarationHandle: 0x0002,
            valueHandle: 0x0003,
            endHandle: 0x0009
        )
        #expect(script.takeReported() == [.complete(characteristics, .success(.characteristics([found])))])
        let services = script.start(
            whenItsTurnComes: { () -> DiscoverPrimaryServices? in DiscoverPrimaryServices() },
            ClientProcedure.Output.services
        )
        script.play("> 10 01 00 FF FF 00 28 \n < 01 10 01 00 0A")
        #expect(script.takeReported() == [.complete(services, .success(.services([])))])
    }

    @Test("A Client Characteristic Configuration is looked for where its handle is not named")
    func descriptor() {
        let characteristic = GATTRemoteCharacteristic(
            uuid: 0x2A00,
            properties: .notify,
            declarationHandle: 0x0002,
            valueHandle: 0x0003,
            endHandle: 0x0004
        )
        var script = ClientScript()
        let id = script.start(
            whenItsTurnComes: { () -> WriteClientCharacteristicConfiguration? in
                WriteClientCharacteristicConfiguration(.notifications, of: characteristic)
            },
            ClientProcedure.Output.configured
        )
        script.play("> 04 04 00 04 00 \n < 05 01 04 00 02 29 \n > 12 04 00 01 00 \n < 13")
        let descriptors = [GATTRemoteDescriptor(uuid: 0x2902, handle: 0x0004)]
        #expect(script.takeReported() == [.complete(id, .success(.configured(descriptors)))])
    }
}
