// The client as a whole: the MTU, the order of procedures, time, the end of the link, and what a server sends without
// being asked.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT client")
struct GATTClientTests {
    // MARK: MTU

    @Test(
        "GATT/CL/GAC/BV-01-C Exchange MTU",
        arguments: [
            (517, "05 02", "F7 00", 247), (100, "64 00", "05 02", 100), (517, "05 02", "17 00", 23),
            (517, "05 02", "FF FF", 517), (5, "17 00", "05 02", 23), (9_999, "05 02", "05 02", 517),
        ]
    )
    func gacBV01(preferred: Int, sent: String, answered: String, agreed: Int) {
        var script = ClientScript()
        let id = script.start(.exchangeMTU(preferred: preferred))
        script.play("> 02 \(sent) \n < 03 \(answered)")
        let complete = ClientScript.Action.complete(id, .success(.mtu(agreed)))
        #expect(script.takeReported() == (agreed == 23 ? [complete] : [.mtuChanged(agreed), complete]))
        #expect(script.bearer.mtu == agreed)
        // The next one is not sent: a client asks once.
        let again = script.start(.exchangeMTU(preferred: 40))
        script.play("")
        #expect(script.takeReported() == [.complete(again, .success(.mtu(agreed)))])
    }

    @Test("GATT/CL/GAC/BV-01-C A server that does not know the exchange leaves the MTU as it is")
    func gacBV01Refused() {
        for mtu in [23, 100] {
            #expect(
                ClientScript.run(.exchangeMTU(preferred: 517), mtu: mtu, "> 02 05 02 \n < 01 02 00 00 06")
                    == .success(.mtu(mtu))
            )
        }
        #expect(
            ClientScript.run(.exchangeMTU(preferred: 517), "> 02 05 02 \n < 01 02 00 00 0E")
                == .failure(.att(.unlikelyError, handle: 0))
        )
        for answer in ["03 16 00", "03 00 00", "03", "03 F7", "03 F7 00 00"] {
            var script = ClientScript()
            let id = script.start(.exchangeMTU(preferred: 517))
            script.play("> 02 05 02 \n < " + answer)
            #expect(script.reported == [.complete(id, .failure(.malformedResponse))])
            #expect(script.bearer.mtu == 23)
        }
    }

    @Test("writes a value in one request if the MTU allows it")
    func writtenAtOnce() {
        var script = ClientScript()
        script.start(.exchangeMTU(preferred: 517))
        script.start(.write(0x0007, octets(21)))
        script.play("> 02 05 02 \n < 03 18 00 \n > 12 07 00 \(hex(octets(21))) \n < 13")
    }

    // MARK: Order

    @Test("runs procedures one after another, each when the one before it has ended")
    func inOrder() {
        var script = ClientScript()
        let first = script.start(.read(0x0003))
        let second = script.start(.discoverServices(uuids: []))
        let third = script.start(.write(0x0007, hex("01")))
        let fourth = script.start(
            .discoverDescriptors(GATTRemoteCharacteristic(0x2A00, .read, 2, 3, 3))
        )
        let fifth = script.start(.read(0x0009))
        script.play("> 0A 03 00")
        #expect(script.reported == [])
        script.play("< 0B AA \n > 12 07 00 01")
        #expect(
            script.takeReported() == [
                .complete(first, .success(.value(hex("AA")))), .complete(second, .success(.services([]))),
            ]
        )
        script.play("< 01 12 07 00 03 \n > 0A 09 00")
        #expect(
            script.takeReported() == [
                .complete(third, .failure(.att(.writeNotPermitted, handle: 7))),
                .complete(fourth, .success(.descriptors([]))),
            ]
        )
        script.play("< 13")
        #expect(script.takeReported() == [.complete(fifth, .failure(.malformedResponse))])
        #expect(script.deadline == nil)
    }

    @Test("ignores an answer to no request")
    func unaskedAnswer() {
        var script = ClientScript()
        for answer in ["0B 01", "13", "01 0A 03 00 01", "03 05 02", "", "0A 03 00", "1E", "52 03 00 01", "FF", "24 00"]
        {
            script.receive(hex(answer))
        }
        script.play("")
        #expect(script.reported == [])
        let id = script.start(.read(0x0003))
        script.play("> 0A 03 00")
        // Requests, commands and unknown PDUs are no answers either.
        for answer in ["", "0A 03 00", "1E", "52 03 00 01", "FF", "24 00"] { script.receive(hex(answer)) }
        #expect(script.reported == [])
        script.play("< 0B 01")
        #expect(script.reported == [.complete(id, .success(.value(hex("01"))))])
    }

    // MARK: Time

    @Test("GATT/CL/GAT/BV-01-C A read that is not answered within 30 s")
    func gatBV01() {
        var script = ClientScript()
        let first = script.start(.read(0x0003))
        let second = script.start(.read(0x0004))
        script.play("> 0A 03 00")
        #expect(script.deadline == script.now + .seconds(30))
        script.advance(.seconds(30) - .nanoseconds(1))
        #expect(script.reported == [])
        script.advance(.nanoseconds(1))
        #expect(
            script.takeReported() == [
                .complete(first, .failure(.transactionTimeout)), .complete(second, .failure(.transactionTimeout)),
                .bearerFailed,
            ]
        )
        // Nothing more is sent, and only failures are reported.
        #expect(!script.bearer.isUsable)
        #expect(script.deadline == nil)
        let late = script.start(.read(0x0005))
        #expect(script.takeReported() == [.complete(late, .failure(.transactionTimeout))])
        script.writeCommand(0x0007, hex("01"))
        for answer in ["0B 01", "13", "1D 08 00 01", "1B 08 00 01"] { script.receive(hex(answer)) }
        script.advance(.seconds(60))
        script.close()
        script.play("")
        #expect(script.takeReported() == [] && script.takeTransmitted().map(\.count) == [1])
        let closed = script.start(.read(0x0005))
        #expect(script.takeReported() == [.complete(closed, .failure(.disconnected(.remoteUserTerminated)))])
    }

    @Test("GATT/CL/GAT/BV-02-C A write has 30 s for each of its requests")
    func gatBV02() {
        var script = ClientScript()
        let id = script.start(.write(0x0007, octets(21)))
        script.play("> 16 07 00 00 00 00..11")
        script.advance(.seconds(29))
        script.play("< 17 07 00 00 00 00..11 \n > 16 07 00 12 00 12 13 14")
        #expect(script.deadline == script.now + .seconds(30))
        script.advance(.seconds(29))
        #expect(script.reported == [])
        script.advance(.seconds(1))
        #expect(script.takeReported() == [.complete(id, .failure(.transactionTimeout)), .bearerFailed])
    }

    // MARK: Unasked

    @Test("GATT/CL/GAN/BV-01-C Notifications")
    func ganBV01() {
        var script = ClientScript()
        let id = script.start(.read(0x0003))
        script.play("> 0A 03 00 \n < 1B 08 00 01 02 \n < 1B 09 00 \n < 0B AA")
        #expect(
            script.reported == [
                .notification(0x0008, hex("01 02")), .notification(0x0009, ByteBuffer()),
                .complete(id, .success(.value(hex("AA")))),
            ]
        )
    }

    @Test("GATT/CL/GAI/BV-01-C Indications are confirmed")
    func gaiBV01() {
        var script = ClientScript()
        let id = script.start(.read(0x0003))
        script.play("> 0A 03 00 \n < 1D 08 00 01 02 \n > 1E \n < 1D 08 00 \n > 1E \n < 0B AA")
        #expect(
            script.reported == [
                .notification(0x0008, hex("01 02")), .notification(0x0008, ByteBuffer()),
                .complete(id, .success(.value(hex("AA")))),
            ]
        )
    }

    @Test("takes several notifications from one PDU, but none of the handle 0")
    func multipleNotifications() {
        var script = ClientScript()
        script.play("< 23 08 00 02 00 01 02 09 00 00 00 00 00 01 00 BB 0A 00 01 00 FF")
        #expect(
            script.takeReported() == [
                .notification(0x0008, hex("01 02")), .notification(0x0009, ByteBuffer()),
                .notification(0x000A, hex("FF")),
            ]
        )
    }

    @Test("Hostile: ignores PDUs that are not notifications")
    func noNotification() {
        var script = ClientScript()
        for pdu in ["1B", "1B 08", "1B 00 00 01", "23", "23 08 00 02 00 FF", "23 08 00 02 00 01 02 09 00 05 00 01"] {
            script.receive(hex(pdu))
        }
        // An indication without a handle is invalid; one with handle 0 is confirmed and dropped.
        script.play("< 1D \n < 1D 08 \n < 1D 00 00 01 \n > 1E")
        #expect(script.reported == [])
    }

    // MARK: Length

    @Test(
        "accepts an answer up to the MTU or the preferred MTU, and no longer one",
        arguments: [(517, 23, 517), (23, 23, 23), (23, 50, 50), (50, 23, 50)]
    )
    func longestAnswer(preferredMTU: Int, mtu: Int, longest: Int) {
        for length in [longest, longest + 1] {
            var script = ClientScript()
            script.bearer = ATTBearer(link: LinkID(rawValue: 1), preferredMTU: preferredMTU)
            script.setMTU(mtu)
            let id = script.start(.readMultiple([0x0003, 0x0007]))
            script.play("> 0E 03 00 07 00 \n < 0F \(hex(octets(length - 1)))")
            let outcome: ClientScript.Outcome =
                length == longest ? .success(.value(octets(length - 1))) : .failure(.malformedResponse)
            #expect(script.takeReported() == [.complete(id, outcome)])
        }
    }
}
