import BluetoothHost
import BluetoothTypes
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("The messages of a central manager in Apple's words")
struct CentralMessagesWordsTests {
    private let window = ReceiveWindow()

    private let value = ByteBuffer(string: "abc")

    @Test("shows a UUID of 16 or 32 bits whole, and the beginning of one of 128 bits")
    func uuids() throws {
        #expect(words(BluetoothUUID(0x180D)) == "180D")
        #expect(words(try #require(BluetoothUUID("12345678"))) == "12345678")
        #expect(words(try #require(BluetoothUUID("5B3C1F0E-6E0B-4C61-9B7D-2F0C8B1E7A10"))) == "5B3C1F0E…")
        #expect(words([0x180D, 0x180F] as [BluetoothUUID]?) == "[180D, 180F]" && words([] as [BluetoothUUID]?) == "[]")
        #expect(words(nil as [BluetoothUUID]?) == "nil")
    }

    @Test("shows the calls of an app, and nothing that a manager does by itself")
    func centralCommands() throws {
        let talk = Conversation()
        let peripheral = try talk.connect()
        let id = peripheral.connectionID
        let name = quoted(peripheral.name)
        let rows: [(command: CentralCommand, call: String?)] = [
            (.scan(ScanFilter(services: nil)), "scanForPeripherals(withServices: nil)"),
            (.scan(ScanFilter(services: [])), "scanForPeripherals(withServices: [])"),
            (.scan(ScanFilter(services: [0x180D, 0x180F])), "scanForPeripherals(withServices: [180D, 180F])"),
            (.stopScan, "stopScan()"),
            (.connect(id, peripheral.identifier, peripheral.address, ConnectOptions()), "connect(\(name))"),
            (.cancelConnection(id), "cancelPeripheralConnection(\(name))"),
            (
                .writeWithoutResponse(id, 0x0999, self.value, invalidations: 0),
                "writeValue(3 octets, for: 2457, type: .withoutResponse)"
            ),
            (.perform(id, HandedOperation(SignalReading()), invalidations: 0), "readRSSI()"),
            (.openChannel(id, 0x80, invalidations: 0), "openL2CAPChannel(128)"),
            (.registerForConnectionEvents(nil), "registerForConnectionEvents(options:)"),
            (.release(peripheral.token), nil), (.resumeReceiving(id), nil), (.restored, nil), (.stopSeen, nil),
            (.endSeen(id), nil), (.end, nil),
        ]
        for row in rows { #expect(row.command.call(in: peripheral.context) == row.call) }
        withExtendedLifetime(talk) {}
    }

    @Test("shows the callbacks, those of a peripheral for its present connection only")
    func centralEvents() throws {
        let talk = Conversation()
        let peripheral = try talk.connect()
        let id = peripheral.connectionID
        var earlier = id
        earlier.attempt = id.attempt &- 1
        let context = peripheral.context
        let name = quoted(peripheral.name)
        let peer = PeerDescription(identifier: peripheral.identifier, address: peripheral.address)
        let lost = CBError(.connectionTimeout)
        let reason = (lost as any Error).localizedDescription
        let always: [(event: CentralEvent, callback: String?)] = [
            (.state(.poweredOff), "centralManagerDidUpdateState: .poweredOff"),
            (.connected(id, mtu: 23, TransmitWindow()), "didConnect \(name)"),
            (.disconnected(id, nil, timestamp: 0, isReconnecting: false), "didDisconnectPeripheral \(name)"),
            (
                .disconnected(id, lost, timestamp: 0, isReconnecting: true),
                "didDisconnectPeripheral \(name), error: \(reason)"
            ),
            (.connectionEvent(peer, .peerConnected), "connectionEventDidOccur: .peerConnected"),
            (.connectionEvent(peer, .peerDisconnected), "connectionEventDidOccur: .peerDisconnected"),
            (.mtu(id, 23, self.window), nil), (.unknownChannelEnded(id, 0x80), nil),
        ]
        for row in always { #expect(row.event.callback(in: context) == row.callback) }
        let wanted: [(event: (ConnectionID) -> CentralEvent, callback: String?)] = [
            ({ .value($0, 0x0999, self.value, self.window) }, "didUpdateValueFor 2457: 3 octets"),
            ({ .canSend($0) }, "peripheralIsReady(toSendWriteWithoutResponse:)"),
            ({ .name($0, "Onyx") }, "peripheralDidUpdateName: \"Onyx\""),
            ({ .name($0, peripheral.name ?? "") }, nil),
            ({ .signal(.success(-40), of: $0) }, "didReadRSSI: -40"),
            ({ .signal(.success(nil), of: $0) }, "didReadRSSI: 127"),
            ({ .servicesInvalidated($0, 1...9, self.window) }, "didModifyServices"),
            ({ .channelRefused($0, lost) }, "didOpen channel, error: \(reason)"),
            (
                { .subscriptionLost($0, 0x0999, .transactionTimeout) },
                "didUpdateNotificationStateFor 2457, error: \(GATTError.transactionTimeout)"
            ),
        ]
        for row in wanted {
            #expect(row.event(id).callback(in: context) == row.callback)
            #expect(row.event(earlier).callback(in: context) == nil)
        }
        withExtendedLifetime(talk) {}
    }
}
