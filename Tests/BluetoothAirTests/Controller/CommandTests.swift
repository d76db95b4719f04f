import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Commands")
struct CommandTests {
    private func command(_ opcode: HCIOpcode, _ parameters: [UInt8], length: UInt8? = nil) -> HCIPacket {
        var bytes = ByteBuffer(bytes: [0x01])
        bytes.writeLittleEndian(opcode.rawValue)
        bytes.writeInteger(length ?? UInt8(parameters.count))
        bytes.writeBytes(parameters)
        return HCIPacket(h4: bytes)
    }

    /// The answers to commands among the events, with their status.
    private func answers(_ host: TestHost) -> [(HCIOpcode, UInt8?)] {
        defer { host.events = [] }
        return host.events.compactMap { event in
            switch event {
            case .commandComplete(let answer):
                (answer.opcode, answer.returnParameters.getInteger(at: answer.returnParameters.readerIndex))
            case .commandStatus(let answer): (answer.opcode, answer.status.rawValue)
            default: nil
            }
        }
    }

    @Test("an unknown command is answered with 0x01")
    func unknown() {
        let testbed = AirTestbed()
        let host = testbed.host()
        for opcode in [HCIOpcode(.leController, 0x3FF), HCIOpcode(.linkControl, 0x0001), HCIOpcode(rawValue: 0xFFFF)] {
            host.send(self.command(opcode, [1, 2, 3]))
            testbed.loop.run()
            let status = host.take(CommandStatus.self)
            #expect(status?.status == .unknownCommand)
            #expect(status?.opcode == opcode)
            #expect(status?.numberOfCommandPackets ?? 0 >= 1)
        }
    }

    @Test("every command of the catalogue is known, and malformed parameters are answered with 0x12")
    func malformed() {
        for entry in HCICommandTable.entries {
            let testbed = AirTestbed()
            let host = testbed.host()
            let opcode = entry.command.opcode
            host.send(self.command(opcode, []))
            testbed.loop.run()
            let answers = self.answers(host)
            #expect(answers.map(\.0) == [opcode], "\(entry.command)")
            #expect(answers.first?.1 != HCIErrorCode.unknownCommand.rawValue, "\(entry.command)")
            if !(entry.command is any HCICommandWithoutParameters.Type) {
                #expect(answers.first?.1 == HCIErrorCode.invalidParameters.rawValue, "\(entry.command)")
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
        let testbed = AirTestbed()
        let host = testbed.host()
        let batches = host.batches
        host.send(ReadBDADDR())
        host.send(LERand())
        host.send(LEReadBufferSize())
        testbed.loop.run()
        #expect(self.answers(host).map(\.0) == [ReadBDADDR.opcode, LERand.opcode, LEReadBufferSize.opcode])
        #expect(host.batches == batches + 1)
    }

    @Test("a handle that is not a link's is answered with 0x02")
    func unknownHandle() {
        let host = AirTestbed().host()
        let handle = ConnectionHandle(rawValue: 0x0123)
        host.refused(Disconnect(handle: handle), .unknownConnectionIdentifier)
        host.refused(ReadRSSI(handle: handle), .unknownConnectionIdentifier)
        host.refused(ReadRemoteVersionInformation(handle: handle), .unknownConnectionIdentifier)
        host.refused(LEReadRemoteFeatures(handle: handle), .unknownConnectionIdentifier)
        host.refused(LEReadChannelMap(handle: handle), .unknownConnectionIdentifier)
        host.refused(LEReadPHY(handle: handle), .unknownConnectionIdentifier)
        host.refused(
            LESetDataLength(handle: handle, transmitOctets: 251, transmitTime: 2120),
            .unknownConnectionIdentifier
        )
        host.refused(
            LEConnectionUpdate(handle: handle, parameters: TestHost.parameters),
            .unknownConnectionIdentifier
        )
        host.refused(LEEnableEncryption(handle: handle, longTermKey: .zero), .unknownConnectionIdentifier)
        host.refused(LELongTermKeyRequestReply(handle: handle, longTermKey: .zero), .unknownConnectionIdentifier)
        host.refused(ReadTransmitPowerLevel(handle: handle), .unknownConnectionIdentifier)
    }

    @Test("the masks let only wanted events pass")
    func masks() throws {
        let testbed = AirTestbed()
        let host = TestHost(testbed, testbed.air.makeController())
        host.ok(Reset())
        let other = testbed.host()
        other.advertise()
        // After a reset the mask has no LE events at all (7.3.1).
        host.ok(LESetEventMask(mask: LEEventMask([.advertisingReport])))
        host.scan()
        testbed.pass(.seconds(1))
        #expect(host.events.isEmpty)
        host.ok(SetEventMask(mask: EventMask([.leMeta])))
        testbed.pass(.seconds(1))
        #expect(!host.reports.isEmpty)
        host.ok(LESetEventMask(mask: LEEventMask([.connectionComplete])))
        testbed.pass(.seconds(1))
        #expect(host.events.isEmpty)
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
        let set = AdvertisingHandle(rawValue: 1)
        let interval = AdvertisingInterval(rawValue: 0xA0)
        let peer = DeviceAddress(1, kind: .public)
        let scan = ExtendedScanInterval(rawValue: 0x10)
        let legacy: [any HCICommand] = [
            LESetAdvertisingParameters(interval: interval),
            LESetAdvertisingData(data: ByteBuffer()), LESetScanResponseData(data: ByteBuffer()),
            LESetAdvertisingEnable(isEnabled: false),
            LESetScanParameters(type: .passive),
            LESetScanEnable(isEnabled: false), TestHost.createConnection(to: peer),
        ]
        let extended: [any HCICommand] = [
            LESetAdvertisingSetRandomAddress(advertisingHandle: set, address: DeviceAddress(0xC0 << 40, kind: .random)),
            LESetExtendedAdvertisingParameters(advertisingHandle: set, properties: []),
            LESetExtendedAdvertisingData(advertisingHandle: set, data: ByteBuffer()),
            LESetExtendedScanResponseData(advertisingHandle: set, data: ByteBuffer()),
            LESetExtendedAdvertisingEnable(isEnabled: false, sets: []), LERemoveAdvertisingSet(advertisingHandle: set),
            LEClearAdvertisingSets(),
            LESetExtendedScanParameters(le1M: .init(type: .passive, interval: scan, window: scan)),
            LESetExtendedScanEnable(isEnabled: false),
            LEExtendedCreateConnection(
                peer: peer,
                le1M: .init(scanInterval: scan, scanWindow: scan, parameters: TestHost.parameters)
            ),
        ]
        let host = AirTestbed().host()
        host.ok(LESetAdvertisingData(data: ByteBuffer()))
        // Reading decides nothing.
        host.ok(LEReadMaximumAdvertisingDataLength())
        host.ok(LEReadNumberOfSupportedAdvertisingSets())
        for command in extended { host.refused(command, .commandDisallowed) }
        host.setUp(leEvents: TestHost.usualEvents)
        host.ok(LEClearAdvertisingSets())
        for command in legacy { host.refused(command, .commandDisallowed) }
    }

    private static func packet(_ opcode: UInt16, length: Int? = nil, _ parameters: [UInt8]) -> HCIPacket {
        var bytes = ByteBuffer()
        bytes.writeInteger(HCIPacket.Kind.command.rawValue)
        bytes.writeLittleEndian(opcode)
        bytes.writeInteger(UInt8(length ?? parameters.count))
        bytes.writeBytes(parameters)
        return HCIPacket(h4: bytes)
    }

    private func status(_ event: HCIEvent) -> HCIErrorCode? {
        switch event {
        case .commandStatus(let answer): answer.status
        case .commandComplete(let answer):
            answer.returnParameters.getInteger(at: answer.returnParameters.readerIndex, as: UInt8.self)
                .map { HCIErrorCode(rawValue: $0) }
        default: nil
        }
    }

    @Test("refuses a packet that is shorter than its length, and ignores surplus octets")
    func truncated() {
        let host = AirTestbed().host()
        let opcode = LESetEventMask.opcode.rawValue
        let mask: [UInt8] = [0xFF, 0, 0, 0, 0, 0, 0, 0]
        func answer(_ packet: HCIPacket) -> HCIErrorCode? {
            host.events = []
            host.send(packet)
            host.testbed.loop.run()
            #expect(host.events.count <= 1)
            return host.events.first.flatMap { self.status($0) }
        }
        #expect(answer(Self.packet(opcode, mask)) == .success)
        #expect(answer(Self.packet(opcode, length: 7, mask)) == .invalidParameters)
        #expect(answer(Self.packet(opcode, length: 9, mask)) == .success)
        #expect(answer(Self.packet(opcode, length: 8, Array(mask.dropLast()))) == .invalidParameters)
        #expect(answer(Self.packet(opcode, length: 8, mask + [1])) == .success)
        #expect(answer(Self.packet(0xFFFF, mask)) == .unknownCommand)
        let start: [UInt8] = [0x01, UInt8(truncatingIfNeeded: opcode), UInt8(opcode >> 8)]
        #expect(answer(HCIPacket(h4: ByteBuffer(bytes: start))) == .invalidParameters)
        #expect(answer(HCIPacket(h4: ByteBuffer(bytes: start.prefix(2)))) == nil)
    }

    @Test("the credits of a controller stand in every answer", arguments: [1, 4, 255, 256])
    func credits(count: Int) {
        var configuration = VirtualControllerConfiguration()
        configuration.model.commandCredits = count
        let host = AirTestbed().host(configuration: configuration)
        let expected = UInt8(min(count, 255))
        func credits() -> [UInt8] {
            defer { host.events = [] }
            return host.events.compactMap { event in
                switch event {
                case .commandStatus(let answer): answer.numberOfCommandPackets
                case .commandComplete(let answer): answer.numberOfCommandPackets
                default: nil
                }
            }
        }
        // One that succeeds, two that are refused in the one and in the other form, an unknown one.
        host.send(LERand())
        host.send(Disconnect(handle: ConnectionHandle(rawValue: 1)))
        host.send(LEReadPHY(handle: ConnectionHandle(rawValue: 1)))
        host.send(LEReadLocalP256PublicKey())
        host.send(Self.packet(0xFFFF, []))
        host.testbed.loop.run()
        #expect(credits() == [expected, expected, expected, expected, expected])
    }
}
