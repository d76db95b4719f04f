import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Commands")
struct CommandTests {
    private func command(_ opcode: HCIOpcode, length: UInt8? = nil, _ parameters: [UInt8]) -> HCIPacket {
        var bytes = ByteBuffer(bytes: [HCIPacket.Kind.command.rawValue])
        bytes.writeLittleEndian(opcode.rawValue)
        bytes.writeInteger(length ?? UInt8(parameters.count))
        bytes.writeBytes(parameters)
        return HCIPacket(h4: bytes)
    }

    private struct Answer {
        var opcode: HCIOpcode
        var status: HCIErrorCode?
        var credits: UInt8
    }

    /// The answers to packets that are sent in one turn; there are no other events.
    private func answers(_ host: TestHost, to packets: [HCIPacket]) -> [Answer] {
        host.events = []
        for packet in packets { host.send(packet) }
        host.testbed.loop.run()
        return host.events.compactMap { event in
            switch event {
            case .commandComplete(let answer):
                let octets = answer.returnParameters
                let status = octets.getInteger(at: octets.readerIndex).map { HCIErrorCode(rawValue: $0) }
                return Answer(opcode: answer.opcode, status: status, credits: answer.numberOfCommandPackets)
            case .commandStatus(let answer):
                return Answer(opcode: answer.opcode, status: answer.status, credits: answer.numberOfCommandPackets)
            default: return nil
            }
        }
    }

    @Test("an unknown command is answered with 0x01")
    func unknown() {
        let host = AirTestbed().host()
        for opcode in [HCIOpcode(.leController, 0x3FF), HCIOpcode(.linkControl, 0x0001), HCIOpcode(rawValue: 0xFFFF)] {
            let answers = self.answers(host, to: [self.command(opcode, [1, 2, 3])])
            #expect(answers.map(\.opcode) == [opcode] && answers.map(\.status) == [.unknownCommand])
        }
    }

    @Test("every command of the catalogue is known, and malformed parameters are answered with 0x12")
    func malformed() {
        for entry in HCICommandTable.entries {
            let opcode = entry.command.opcode
            let answers = self.answers(AirTestbed().host(), to: [self.command(opcode, [])])
            #expect(answers.map(\.opcode) == [opcode], "\(entry.command)")
            #expect(answers.first?.status != .unknownCommand, "\(entry.command)")
            if !(entry.command is any HCICommandWithoutParameters.Type) {
                #expect(answers.first?.status == .invalidParameters, "\(entry.command)")
            }
        }
    }

    @Test("the bitmap has exactly the commands that are implemented")
    func bitmap() throws {
        let host = AirTestbed().host()
        let commands = try #require(host.run(ReadLocalSupportedCommands())).commands
        for entry in HCICommandTable.entries where entry.bit != nil {
            #expect(commands.contains(entry.command), "\(entry.command)")
        }
        #expect(commands.description == "\(HCICommandTable.entries.filter { $0.bit != nil }.count) commands")
    }

    @Test("many commands in one turn are answered in order, in one batch")
    func pipelining() {
        let host = AirTestbed().host()
        let batches = host.batches
        let answers = self.answers(host, to: [ReadBDADDR().packet(), LERand().packet(), LEReadBufferSize().packet()])
        #expect(answers.map(\.opcode) == [ReadBDADDR.opcode, LERand.opcode, LEReadBufferSize.opcode])
        #expect(host.batches == batches + 1)
    }

    @Test("answers a handle without a link with 0x02")
    func unknownHandle() {
        let handle = ConnectionHandle(rawValue: 0x0123)
        let commands: [any HCICommand] = [
            Disconnect(handle: handle), ReadRSSI(handle: handle), ReadRemoteVersionInformation(handle: handle),
            LEReadRemoteFeatures(handle: handle), LEReadChannelMap(handle: handle), LEReadPHY(handle: handle),
            LESetDataLength(handle: handle, transmitOctets: 251, transmitTime: 2120),
            LEConnectionUpdate(handle: handle, parameters: TestHost.parameters),
            LEEnableEncryption(handle: handle, longTermKey: .zero),
            LELongTermKeyRequestReply(handle: handle, longTermKey: .zero), ReadTransmitPowerLevel(handle: handle),
        ]
        for command in commands { #expect(freshStatus(command) == .unknownConnectionIdentifier, "\(command)") }
    }

    @Test("the connection event takes the latest form that the host wants")
    func connectionForms() throws {
        for (events, form) in [
            ([LESubeventCode.connectionComplete], 1), ([.connectionComplete, .enhancedConnectionComplete], 2),
            ([.connectionComplete, .enhancedConnectionComplete, .enhancedConnectionCompleteV2], 3),
        ] {
            let testbed = AirTestbed()
            let central = testbed.host(leEvents: LEEventMask(events))
            let peripheral = testbed.host()
            peripheral.advertise()
            central.ok(TestHost.createConnection(to: peripheral.controller.address))
            testbed.pass(.milliseconds(200))
            #expect((central.take(LEConnectionComplete.self) != nil) == (form == 1))
            #expect((central.take(LEEnhancedConnectionComplete.self) != nil) == (form == 2))
            #expect((central.take(LEEnhancedConnectionCompleteV2.self) != nil) == (form == 3))
            #expect(central.events.isEmpty)
        }
    }

    @Test("each command of a family is refused after one of the other family (3.1.1)")
    func eachOfAFamily() {
        let peer = DeviceAddress(1, kind: .public)
        let legacy: [any HCICommand] = [
            LESetAdvertisingParameters(), LESetAdvertisingData(data: ByteBuffer()),
            LESetScanResponseData(data: ByteBuffer()), LESetAdvertisingEnable(isEnabled: false),
            LESetScanParameters(type: .passive), LESetScanEnable(isEnabled: false), TestHost.createConnection(to: peer),
        ]
        let extended: [any HCICommand] = [
            LESetAdvertisingSetRandomAddress(advertisingHandle: 1, address: DeviceAddress(0xC0 << 40, kind: .random)),
            LESetExtendedAdvertisingParameters(advertisingHandle: 1, properties: []),
            LESetExtendedAdvertisingData(advertisingHandle: 1, data: ByteBuffer()),
            LESetExtendedScanResponseData(advertisingHandle: 1, data: ByteBuffer()),
            LESetExtendedAdvertisingEnable(isEnabled: false, sets: []), LERemoveAdvertisingSet(advertisingHandle: 1),
            LEClearAdvertisingSets(), LESetExtendedScanParameters(le1M: .init(type: .passive)),
            LESetExtendedScanEnable(isEnabled: false),
            LEExtendedCreateConnection(peer: peer, le1M: .init(parameters: TestHost.parameters)),
        ]
        // Reading does not choose a family.
        let readings: [any HCICommand] = [
            LEReadMaximumAdvertisingDataLength(), LEReadNumberOfSupportedAdvertisingSets(),
        ]
        for (first, others, status) in [
            (legacy[1], readings, .success), (legacy[1], extended, .commandDisallowed),
            (extended[6], legacy, .commandDisallowed),
        ] as [(any HCICommand, [any HCICommand], HCIErrorCode)] {
            let host = AirTestbed().host()
            host.ok(first)
            for command in others {
                if status == .success { host.ok(command) } else { host.refused(command, status) }
            }
        }
    }

    @Test("refuses a packet that is shorter than its length, and ignores surplus octets")
    func truncated() {
        let host = AirTestbed().host()
        let opcode = LESetEventMask.opcode
        let mask: [UInt8] = [0xFF, 0, 0, 0, 0, 0, 0, 0]
        let start: [UInt8] = [0x01, UInt8(truncatingIfNeeded: opcode.rawValue), UInt8(opcode.rawValue >> 8)]
        for (packet, statuses) in [
            (self.command(opcode, mask), [.success]), (self.command(opcode, length: 7, mask), [.invalidParameters]),
            (self.command(opcode, length: 9, mask), [.success]),
            (self.command(opcode, length: 8, Array(mask.dropLast())), [.invalidParameters]),
            (self.command(opcode, length: 8, mask + [1]), [.success]),
            (HCIPacket(h4: ByteBuffer(bytes: start)), [.invalidParameters]),
            (HCIPacket(h4: ByteBuffer(bytes: start.prefix(2))), []),
        ] as [(HCIPacket, [HCIErrorCode?])] {
            #expect(self.answers(host, to: [packet]).map(\.status) == statuses)
        }
    }

    @Test("every answer has the credits of the controller", arguments: [1, 4, 255, 256])
    func credits(count: Int) {
        let host = AirTestbed().host { $0.model.commandCredits = count }
        // One that succeeds, two that fail in either form, an unknown one.
        let handle = ConnectionHandle(rawValue: 1)
        let packets = [
            LERand().packet(), Disconnect(handle: handle).packet(), LEReadPHY(handle: handle).packet(),
            LEReadLocalP256PublicKey().packet(), self.command(HCIOpcode(rawValue: 0xFFFF), []),
        ]
        #expect(self.answers(host, to: packets).map(\.credits) == [UInt8](repeating: UInt8(min(count, 255)), count: 5))
    }
}
