// Every command with parameters of every length, in several states of a controller: what it answers is on record.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Handlers of commands")
struct CommandHandlersTests {
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

    /// The parameters with which a command is tried: small numbers, a link's handle first, and others by chance.
    private static func patterns(_ handle: ConnectionHandle) -> [(Int) -> [UInt8]] {
        let octets = [UInt8(truncatingIfNeeded: handle.rawValue), UInt8(handle.rawValue >> 8)]
        return [
            { [UInt8](repeating: 0, count: $0) },
            { [UInt8](repeating: 1, count: $0) },
            { count in Array((octets + [UInt8](repeating: 1, count: count)).prefix(count)) },
            { count in
                var generator = SeededGenerator(seed: UInt64(count))
                let rest = (0..<count).map { _ in UInt8.random(in: 0...40, using: &generator) }
                return Array((octets + rest).prefix(count))
            },
        ]
    }

    enum State: CaseIterable {
        case fresh
        case legacy
        case extended
        case linked
    }

    private func host(_ state: State) throws -> (TestHost, ConnectionHandle) {
        let testbed = AirTestbed()
        switch state {
        case .fresh: return (testbed.host(), ConnectionHandle(rawValue: 0x40))
        case .legacy:
            let host = testbed.host()
            host.advertise()
            host.scan()
            return (host, ConnectionHandle(rawValue: 0x40))
        case .extended:
            let host = testbed.host()
            let interval = ExtendedAdvertisingInterval(rawValue: 0x20)
            host.ok(
                LESetExtendedAdvertisingParameters(
                    advertisingHandle: AdvertisingHandle(rawValue: 1),
                    properties: [],
                    minimumInterval: interval,
                    maximumInterval: interval
                )
            )
            return (host, ConnectionHandle(rawValue: 0x40))
        case .linked:
            let link = try TestLink(testbed)
            return (link.central, link.centralHandle)
        }
    }

    @Test("each command is answered once at most, whatever its parameters are", arguments: State.allCases)
    func lengths(state: State) throws {
        let (host, handle) = try self.host(state)
        for entry in HCICommandTable.entries where entry.command.opcode != Reset.opcode {
            let isSilent = entry.command.opcode == HostNumberOfCompletedPackets.opcode
            for pattern in Self.patterns(handle) {
                for count in [0, 1, 2, 3, 4, 7, 8, 9, 15, 25, 32, 33, 60] {
                    host.events = []
                    host.send(Self.packet(entry.command.opcode.rawValue, pattern(count)))
                    host.testbed.loop.run()
                    let answers = host.events.filter { self.status($0) != nil }
                    #expect(isSilent ? answers.count <= 1 : answers.count == 1, "\(entry.command) \(count)")
                }
            }
        }
    }

    @Test("a packet that is shorter than its length says is malformed; what is behind it is ignored")
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
        configuration.commandCredits = count
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
