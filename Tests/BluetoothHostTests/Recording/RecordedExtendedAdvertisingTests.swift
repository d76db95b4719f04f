// What a capture shows of this device where its host advertises by the commands of extended advertising, and which name
// and which value a recorded peripheral begins with.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Recording: extended advertising, names and first values")
struct RecordedExtendedAdvertisingTests {
    private typealias Packets = [(HCIPacket, PacketFormatter.Direction, Int64)]
    private typealias Found = (key: ConversationReader.Key, peripheral: RecordedPeripheral)

    private static let peer = DeviceAddress(0xC011_2233_4455, kind: .random)
    private static let ball = "05 09 42 61 6C 6C"
    private static let pulse = "06 09 50 75 6C 73 65"

    private static func connection(_ handle: UInt16, _ peer: DeviceAddress, _ role: ConnectionRole) -> Packets {
        let event = LEEnhancedConnectionComplete(
            handle: ConnectionHandle(rawValue: handle),
            role: role,
            peer: peer,
            interval: ConnectionInterval(rawValue: 24),
            latency: 0,
            supervisionTimeout: SupervisionTimeout(rawValue: 72)
        )
        return [(LEEnhancedConnectionCompleteV2(connection: event).packet(), .toHost, 0)]
    }

    private static func peripherals(_ packets: Packets) -> [Found] {
        var reader = ConversationReader()
        for (packet, direction, time) in packets { reader.receive(packet, direction, at: time) }
        return reader.peripherals()
    }

    @Test("The data of an advertising set counts once the set was enabled, also when it has been disabled again")
    func extendedCommands() throws {
        let set = AdvertisingHandle(rawValue: 0)
        let data: Packets = [
            (LESetExtendedAdvertisingData(advertisingHandle: set, data: hex("02 01 06")).packet(), .toController, 0),
            (
                LESetExtendedScanResponseData(advertisingHandle: set, data: hex(Self.pulse)).packet(), .toController, 0
            ),
        ]
        func enable(_ isEnabled: Bool, _ direction: PacketFormatter.Direction = .toController) -> Packets {
            let command = LESetExtendedAdvertisingEnable(isEnabled: isEnabled, sets: [.init(handle: set)])
            return [(command.packet(), direction, 0)]
        }
        let link = Self.connection(0x40, Self.peer, .peripheral)
        for (commands, isHeard) in [
            (enable(true), true), (enable(true) + enable(false), true), (enable(false), false), ([], false),
            (enable(true, .toHost), false),
        ] as [(Packets, Bool)] {
            let found = Self.peripherals(data + commands + link)
            #expect(found.map(\.key) == [.local])
            let peripheral = try #require(found.first?.peripheral)
            #expect(peripheral.advertisingData == (isHeard ? hex("02 01 06") : nil))
            #expect(peripheral.scanResponse == (isHeard ? hex(Self.pulse) : nil))
        }
    }

    @Test("Connection events of each version begin a link, with who is the peripheral on it")
    func roles() {
        let other = DeviceAddress(0x0011_2233_4466, kind: .public)
        let packets = Self.connection(0x40, Self.peer, .central) + Self.connection(0x41, other, .peripheral)
        #expect(Self.peripherals(packets).map(\.key) == [.peer(Self.peer), .local])
        #expect(Self.peripherals(packets + packets).map(\.key) == [.peer(Self.peer), .local], "each once")
    }

    @Test("The name is that of the scan response, else of the advertisement, else the one that was read")
    func name() {
        var peripheral = RecordedPeripheral()
        #expect(peripheral.name == nil && peripheral.isConnectable && peripheral.services.isEmpty)
        peripheral.deviceName = "Anna"
        #expect(peripheral.name == "Anna")
        peripheral.advertisingData = hex(Self.ball)
        #expect(peripheral.name == "Ball")
        peripheral.scanResponse = hex("02 0A 00")
        #expect(peripheral.name == "Ball")
        peripheral.scanResponse = hex(Self.pulse)
        #expect(peripheral.name == "Pulse")
    }

    @Test("A name with a line break stands on one line where peripherals are named")
    func lineBreak() {
        let report = LEAdvertisingReport(
            eventType: .connectableUndirected,
            address: Self.peer,
            data: hex("04 09 41 0A 42"),
            rssi: -45
        )
        let packets: Packets =
            [(LEAdvertisingReports([report]).packet(), .toHost, 0)] + Self.connection(0x40, Self.peer, .central)
            + Self.connection(0x41, DeviceAddress(1, kind: .public), .central)
        do {
            _ = try RecordedConversations(packets).peripheral(nil)
            Issue.record("one of two was chosen")
        } catch {
            #expect(error.description.hasSuffix("choose one: \(Self.peer) \"AB\", 00:00:00:00:00:01"))
        }
    }

    @Test("A value begins with what was read first without an error, else with what was sent first by itself")
    func firstValue() {
        var value = RecordedCharacteristic(uuid: 0x2A37, properties: .read, handle: 3)
        #expect(value.firstValue == nil)
        #expect(value.hasClientConfiguration && !value.wasSubscribed && !value.demandsEncryption)
        value.updates = [
            .init(delay: .seconds(1), value: hex("05")), .init(delay: .seconds(2), value: hex("06")),
        ]
        #expect(value.firstValue == hex("05"))
        value.reads = [.init(.failure(.readNotPermitted))]
        #expect(value.firstValue == hex("05") && value.reads.first?.writesBefore == 0)
        value.reads += [.init(.success(hex("07")), writesBefore: 2), .init(.success(hex("08")))]
        #expect(value.firstValue == hex("07"))
    }
}
