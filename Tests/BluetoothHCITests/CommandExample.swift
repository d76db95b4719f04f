// A command and its answer with their octets: every command needs one in the table of HCICommandTests.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHCI

struct CommandExample: Samples, Sendable, CustomTestStringConvertible {
    let name: String
    let opcode: UInt16
    let check: @Sendable () throws -> Void
    let decodesWithoutTrap: @Sendable (ByteBuffer) -> Void

    var testDescription: String { self.name }

    /// A command that is answered by Command Complete.
    init<Command: HCICommand>(
        _ opcode: UInt16,
        _ command: Command,
        _ hex: String,
        returns answer: Command.ReturnParameters,
        _ answerHex: String
    ) {
        self.init(opcode, command, hex) {
            #expect(Command.isAnsweredByStatus == false)
            var bytes = ByteBuffer()
            answer.encode(into: &bytes)
            #expect(bytes.hex == normalized(answerHex))

            let packet = CommandComplete.packet(Command.self, answer, numberOfCommandPackets: 3)
            #expect(packet == CommandComplete(Command.self, answer, numberOfCommandPackets: 3).packet())
            guard case .commandComplete(let event) = try HCIEvent(packet) else {
                Issue.record("not a Command Complete")
                return
            }
            #expect(event.opcode == Command.opcode)
            #expect(event.numberOfCommandPackets == 3)
            #expect(try event.returned(by: Command.self) == answer)

            // A controller that rejects a command may send the status alone; the rest is then zero.
            var refused = ByteBuffer(hex: "0C")
            #expect(try Command.ReturnParameters(parsing: &refused).status == .commandDisallowed)
            // A truncated answer with success is malformed.
            for count in 0..<bytes.readableBytes where bytes.getInteger(at: 0, as: UInt8.self) == 0 {
                var short = bytes.getSlice(at: 0, length: count) ?? ByteBuffer()
                #expect(throws: MalformedBytes.self) { try Command.ReturnParameters(parsing: &short) }
            }
        }
    }

    /// A command that is answered by Command Complete with only the status.
    init<Command: HCICommand>(_ opcode: UInt16, _ command: Command, _ hex: String)
    where Command.ReturnParameters == StatusReturnParameters {
        self.init(opcode, command, hex, returns: .init(), "00")
    }

    /// A command that is answered by Command Complete with the status and the link.
    init<Command: HCICommand>(_ opcode: UInt16, _ command: Command, _ hex: String)
    where Command.ReturnParameters == LinkReturnParameters {
        self.init(opcode, command, hex, returns: .init(handle: Self.handle), "00 23 01")
    }

    /// A command that is answered by Command Status.
    init<Command: HCICommand>(status opcode: UInt16, _ command: Command, _ hex: String)
    where Command.ReturnParameters == NoReturnParameters {
        self.init(opcode, command, hex) { #expect(Command.isAnsweredByStatus) }
    }

    private init<Command: HCICommand>(
        _ opcode: UInt16,
        _ command: Command,
        _ hex: String,
        checkAnswer: @escaping @Sendable () throws -> Void
    ) {
        self.name = String(describing: Command.self)
        self.opcode = opcode
        self.check = {
            #expect(Command.opcode.rawValue == opcode)
            let parameters = ByteBuffer(hex: hex)
            var expected = ByteBuffer(bytes: [0x01])
            expected.writeLittleEndian(opcode)
            expected.writeInteger(UInt8(parameters.readableBytes))
            expected.writeImmutableBuffer(parameters)

            let packet = command.packet()
            #expect(packet.bytes.hex == expected.hex)
            let head = try HCICommandPacket(packet)
            #expect(head.opcode == Command.opcode)
            #expect(try head.parsed(as: Command.self) == command)

            // Additional parameters are ignored, missing ones are malformed.
            var longer = parameters
            longer.writeBytes([0xAA, 0xBB])
            #expect(try Command(parsing: &longer) == command)
            for count in 0..<parameters.readableBytes {
                var short = parameters.getSlice(at: 0, length: count) ?? ByteBuffer()
                // Padding after the data may be omitted.
                if let value = try? Command(parsing: &short) { #expect(value == command) }
            }
            if parameters.readableBytes > 0 {
                var none = ByteBuffer()
                #expect(throws: MalformedBytes.self) { try Command(parsing: &none) }
            }
            #expect(head.description == command.description)
            #expect(!command.description.contains("\n"))
            try checkAnswer()
        }
        self.decodesWithoutTrap = { bytes in
            var parameters = bytes
            let command = Result { try Command(parsing: &parameters) }
            if case .success(let value) = command {
                // What was parsed can be written, and is parsed to the same value again.
                var again = ByteBuffer()
                value.encode(into: &again)
                #expect((try? Command(parsing: &again)) == value)
            }
            var answer = bytes
            let returned = Result { try Command.ReturnParameters(parsing: &answer) }
            if case .success(let value) = returned {
                var again = ByteBuffer()
                value.encode(into: &again)
                #expect((try? Command.ReturnParameters(parsing: &again)) == value)
            }
        }
    }
}

/// Values that several examples share.
protocol Samples {}

extension Samples {
    static var handle: ConnectionHandle { ConnectionHandle(rawValue: 0x0123) }
    static var address: DeviceAddress { DeviceAddress(0xC0FF_EE12_3456, kind: .random) }
    static var publicAddress: DeviceAddress { DeviceAddress(0x0011_2233_4455, kind: .public) }
    static var resolvable: DeviceAddress { DeviceAddress(0x4A11_2233_4455, kind: .random) }
    static var key: Octets16 { Octets16(high: 0x0F0E_0D0C_0B0A_0908, low: 0x0706_0504_0302_0100) }
    static var otherKey: Octets16 { Octets16(high: 0x1F1E_1D1C_1B1A_1918, low: 0x1716_1514_1312_1110) }
    static var x: Octets32 { Octets32(high: otherKey, low: key) }
    static var y: Octets32 { Octets32(high: .zero, low: otherKey) }

    static var connectionParameters: ConnectionParameters {
        ConnectionParameters(
            minimumInterval: ConnectionInterval(.milliseconds(30)),
            maximumInterval: ConnectionInterval(.milliseconds(50)),
            latency: 4,
            supervisionTimeout: SupervisionTimeout(.seconds(5)),
            minimumEventLength: ConnectionEventLength(rawValue: 2),
            maximumEventLength: ConnectionEventLength(rawValue: 3)
        )
    }

    static var advertising: LESetExtendedAdvertisingParameters {
        LESetExtendedAdvertisingParameters(
            advertisingHandle: AdvertisingHandle(rawValue: 0x05),
            properties: [.connectable, .includeTxPower],
            minimumInterval: ExtendedAdvertisingInterval(rawValue: 0x012345),
            maximumInterval: ExtendedAdvertisingInterval(rawValue: 0x0ABCDE),
            channels: [.channel38],
            ownAddressType: .random,
            peer: address,
            filterPolicy: .scanFromAcceptList,
            txPower: -3,
            primaryPHY: .leCoded,
            secondaryMaximumSkip: 7,
            secondaryPHY: .le2M,
            setIdentifier: 0x0C,
            notifiesScanRequests: true
        )
    }

    static func initiating(_ interval: UInt16) -> LEExtendedCreateConnection.PHYParameters {
        .init(
            scanInterval: ExtendedScanInterval(rawValue: interval),
            scanWindow: ExtendedScanInterval(rawValue: 0x0030),
            parameters: connectionParameters
        )
    }
}
