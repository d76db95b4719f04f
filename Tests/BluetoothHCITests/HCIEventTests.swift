import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHCI

@Suite("HCI events")
struct HCIEventTests {
    @Test("parses the octets of the specification and writes the same", arguments: EventExample.all)
    func roundTrip(example: EventExample) throws { try example.check() }

    @Test("every declared event has an example")
    func completeness() throws {
        let declared = try SourceScan.types(conformingTo: ["HCIEventPayload", "LEEventPayload"])
        let reports = try SourceScan.types(conformingTo: ["LEReport"])
        // `LEReports` stands for one event for each kind of report.
        #expect(declared.contains("LEReports"))
        #expect(Set(EventExample.all.map(\.name)) == declared)
        #expect(EventExample.all.count == declared.count - 1 + reports.count)
    }

    @Test("keeps an unknown event")
    func unknownEvents() throws {
        let unknown = HCIPacket(h4: ByteBuffer(hex: "04 7A 03 01 02 03"))
        #expect(try HCIEvent(unknown) == .unknown(HCIEventCode(rawValue: 0x7A), ByteBuffer(hex: "01 02 03")))
        #expect(unknown.description == "Event 0x7A 010203")
        let unknownLE = HCIPacket(h4: ByteBuffer(hex: "04 3E 03 77 02 03"))
        #expect(try HCIEvent(unknownLE) == .unknownLE(LESubeventCode(rawValue: 0x77), ByteBuffer(hex: "02 03")))
        #expect(unknownLE.description == "LE event 0x77 0203")
    }

    @Test("rejects a truncated event packet, or one of another kind")
    func malformedPackets() {
        for hex in ["", "04", "04 0E", "04 10 01", "04 3E 00", "01 10 01 42"] {
            #expect(throws: MalformedBytes.self) { try HCIEvent(HCIPacket(h4: ByteBuffer(hex: hex))) }
        }
        #expect(HCIPacket(h4: ByteBuffer(hex: "04 10 01")).description == "malformed event 041001")
    }

    @Test("random octets never trap the decoder, and parsed events are written with the same octets")
    func randomOctets() throws {
        var generator = SeededGenerator(seed: 7)
        let codes = EventExample.all.map(\.code.rawValue)
        for _ in 0..<40_000 {
            let count = Int.random(in: 0...60, using: &generator)
            let limit: UInt8 = Bool.random(using: &generator) ? 3 : 255
            var bytes = ByteBuffer(bytes: [0x04, codes.randomElement(using: &generator) ?? 0])
            // Now and then the length is wrong.
            bytes.writeInteger(UInt8(Int.random(in: 0..<8, using: &generator) == 0 ? count + 3 : count))
            bytes.writeBytes((0..<count).map { _ in UInt8.random(in: 0...limit, using: &generator) })
            let result = Result { try HCIEvent(HCIPacket(h4: bytes)) }
            guard case .success(let event) = result, let packet = event.payload?.packet() else { continue }
            #expect(try HCIEvent(packet) == event)
        }
    }

    @Test("rejects an answer to another command")
    func returnedByAnother() throws {
        let event = CommandComplete(LERand.self, .init(number: 7))
        #expect(throws: MalformedBytes(.invalid, "Command_Opcode")) { try event.returned(by: Reset.self) }
    }

    @Test("masks choose events by their codes")
    func masks() {
        #expect(EventMask.initial.contains(.disconnectionComplete))
        #expect(!EventMask.initial.contains(.leMeta))
        #expect(EventMask([.leMeta, .encryptionChangeV2]).rawValue == 1 << 61)
        #expect(EventMask([.leMeta]).contains(.leMeta))
        #expect(EventMaskPage2([.leMeta, .encryptionChangeV2]).rawValue == 1 << 25)
        #expect(EventMaskPage2([.encryptionChangeV2]).contains(.encryptionChangeV2))
        #expect(!EventMaskPage2.initial.contains(.authenticatedPayloadTimeoutExpired))
        #expect(LEEventMask.initial.contains(.longTermKeyRequest))
        #expect(!LEEventMask.initial.contains(.remoteConnectionParameterRequest))
        #expect(!EventMask(rawValue: .max).contains(HCIEventCode(rawValue: 0)))
    }

    @Test("C9: events and commands are named as in the specification")
    func names() {
        #expect(LEPHYUpdateComplete.name == "LE PHY Update Complete")
        #expect(LEEnhancedConnectionCompleteV2.name == "LE Enhanced Connection Complete [v2]")
        #expect(EncryptionChangeV2.name == "Encryption Change [v2]")
        #expect(LEAdvertisingReports.name == "LE Advertising Report")
        #expect(LEReadLocalP256PublicKeyComplete.name == "LE Read Local P-256 Public Key Complete")
        #expect(LEGenerateDHKeyComplete.name == "LE Generate DHKey Complete")
        #expect(NumberOfCompletedPackets.name == "Number Of Completed Packets")
        #expect(ReadBDADDR.name == "Read BD_ADDR")
        #expect(ReadRSSI.name == "Read RSSI")
        #expect(LESetPHY.name == "LE Set PHY")
        #expect(LEReadRFPathCompensation.name == "LE Read RF Path Compensation")
        #expect(SetEventMaskPage2.name == "Set Event Mask Page 2")
        #expect(LEGenerateDHKeyV2.name == "LE Generate DHKey [v2]")
        #expect(LESetExtendedAdvertisingParametersV2.name == "LE Set Extended Advertising Parameters [v2]")
    }

    @Test("describes a packet in one line")
    func descriptions() {
        #expect(
            DisconnectionComplete(handle: ConnectionHandle(rawValue: 0x40), reason: .remoteUserTerminated).description
                == "Disconnection Complete Status=Success (0x00) Connection_Handle=0x40 "
                + "Reason=The remote user ended the connection (0x13)"
        )
        #expect(
            CommandComplete(LERand.self, .init(number: 258)).description
                == "Command Complete LE Rand Status=Success (0x00) Random_Number=258"
        )
        #expect(
            CommandStatus(status: .success, opcode: LECreateConnection.opcode).description
                == "Command Status LE Create Connection Status=Success (0x00)"
        )
        #expect(
            NumberOfCompletedPackets(completed: CompletedPackets([.init(handle: .init(rawValue: 64), count: 2)]))
                .description == "Number Of Completed Packets Num_Completed_Packets=0x40:2"
        )
        #expect(
            LEAdvertisingReports([
                LEAdvertisingReport(
                    eventType: .scanResponse,
                    address: DeviceAddress(0xC011_2233_4455, kind: .random),
                    data: ByteBuffer(hex: "0201"),
                    rssi: -45
                )
            ]).description
                == "LE Advertising Report Num_Reports=1 "
                + "{Event_Type=0x04 Address=C0:11:22:33:44:55 Data=0201 RSSI=-45 dBm}"
        )
    }

    @Test("describes an absent parameter as a hyphen")
    func absentParameters() {
        let report = "00 00 01 55 44 33 22 11 C0 01 00 FF 7F 7F 00 00 00 00 00 00 00 00 00 00"
        #expect(
            HCIPacket(h4: ByteBuffer(hex: "04 3E 1A 0D 01 \(report)")).description.contains(
                "Secondary_PHY=- Advertising_SID=- TX_Power=- RSSI=- Periodic_Advertising_Interval=-"
            )
        )
    }

    @Test("every named error code has a text")
    func errorCodes() {
        #expect(HCIErrorCode.connectionTimeout.description == "The connection timed out (0x08)")
        #expect(HCIErrorCode(rawValue: 0xF0).description == "Unknown error (0xF0)")
        let named = (UInt8.min...UInt8.max).filter {
            !HCIErrorCode(rawValue: $0).description.hasPrefix("Unknown error")
        }
        // 0x2B, 0x31 and 0x33 are reserved (Vol 1, Part F, 1.3).
        #expect(named == (0...0x48).filter { ![0x2B, 0x31, 0x33].contains($0) })
    }
}
