// What an observer of an adapter reads of each message between a manager and its session: the call or the callback in
// Apple's words, and nothing where an app neither calls nor is called.

import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Messages in Apple's words")
struct MessageWordsTests {
    private let window = ReceiveWindow()

    /// Three octets.
    private let value = ByteBuffer(string: "abc")

    /// The present connection of a peripheral.
    private func connection(of peripheral: CBPeripheral) -> ConnectionID {
        ConnectionID(token: peripheral.token, attempt: peripheral.connection.attempt)
    }

    @Test("what an app asks of a central manager, and what the manager does by itself")
    func centralCommands() throws {
        let talk = Conversation()
        let (peripheral, _, answer) = try talk.discover()
        let id = self.connection(of: peripheral)
        let name = quoted(peripheral.name)
        #expect(peripheral.name != nil)
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
            (.readRSSI(id), "readRSSI()"), (.openChannel(id, 0x80, invalidations: 0), "openL2CAPChannel(128)"),
            (.registerForConnectionEvents(nil), "registerForConnectionEvents(options:)"),
            (.release(peripheral.token), nil), (.resumeReceiving(id), nil), (.restored, nil), (.stopSeen, nil),
            (.endSeen(id), nil), (.end, nil),
        ]
        for row in rows { #expect(row.command.call(in: peripheral.context) == row.call) }
        #expect(words(answer.uuid.value) == "349A0D7B…")
        withExtendedLifetime(talk) {}
    }

    @Test("what a central manager's delegate is told, of a connection that the app wants alone")
    func centralEvents() throws {
        let talk = Conversation()
        let peripheral = try talk.connect()
        let id = self.connection(of: peripheral)
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
            ({ .rssi($0, .success(-40)) }, "didReadRSSI: -40"), ({ .rssi($0, .success(nil)) }, "didReadRSSI: 127"),
            ({ .servicesInvalidated($0, 1...9, self.window) }, "didModifyServices"),
            ({ .channelRefused($0, lost) }, "didOpen channel, error: \(reason)"),
            (
                { .subscriptionLost($0, 0x0999, .transactionTimeout) },
                "didUpdateNotificationStateFor 2457, error: \(GATTError.transactionTimeout)"
            ),
        ]
        for row in wanted {
            #expect(row.event(id).callback(in: context) == row.callback)
            // Nothing is said of a connection that is not the present one.
            #expect(row.event(earlier).callback(in: context) == nil)
        }
        withExtendedLifetime(talk) {}
    }

    @Test("what an app asks of a peripheral manager, and what the manager does by itself")
    func peripheralCommands() {
        let talk = Conversation()
        let manager: CBPeripheralManager = talk.ball.manager
        let rows: [(command: PeripheralCommand, call: String?)] = [
            (.removeAll, "removeAllServices()"), (.stopAdvertising, "stopAdvertising()"),
            (
                .startAdvertising(AdvertisedContent(localName: "Crystal", services: [0x180D])),
                "startAdvertising(\"Crystal\", [180D])"
            ),
            (.startAdvertising(AdvertisedContent(localName: nil, services: [])), "startAdvertising((no name), [])"),
            (.unpublishChannel(0x80), "unpublishL2CAPChannel(128)"), (.restored, nil), (.stopSeen, nil), (.end, nil),
        ]
        for row in rows { #expect(row.command.call(in: manager) == row.call) }
        let failed = CBError(.unknown)
        let reason = (failed as any Error).localizedDescription
        let events: [(event: PeripheralEvent, callback: String?)] = [
            (.state(.unauthorized), "peripheralManagerDidUpdateState: .unauthorized"),
            (.startedAdvertising(nil), "peripheralManagerDidStartAdvertising"),
            (.startedAdvertising(failed), "peripheralManagerDidStartAdvertising, error: \(reason)"),
            (.subscribed(LinkID(rawValue: 1), 0x0999, true, self.window), "didSubscribeTo 2457"),
            (.subscribed(LinkID(rawValue: 1), 0x0999, false, self.window), "didUnsubscribeFrom 2457"),
            (.centralLeft(LinkID(rawValue: 1)), nil), (.centralChangedMTU(LinkID(rawValue: 1), 23, self.window), nil),
        ]
        for row in events { #expect(row.event.callback(in: manager) == row.callback) }
        withExtendedLifetime(talk) {}
    }

    @Test("a state by its name, an error by what its users read, and a name that is not known")
    func names() {
        let states: [(CBManagerState, String)] = [
            (.unknown, ".unknown"), (.resetting, ".resetting"), (.unsupported, ".unsupported"),
            (.unauthorized, ".unauthorized"), (.poweredOff, ".poweredOff"), (.poweredOn, ".poweredOn"),
        ]
        for (state, text) in states { #expect(words(state) == text) }
        let none: (any Error)? = nil
        #expect(words(none).isEmpty)
        for error in [CBError(.connectionFailed), CBATTError(.invalidOffset)] as [any Error] {
            #expect(words(error) == ", error: \(error.localizedDescription)")
        }
        #expect(words(GATTError.notConnected) == ", error: \(GATTError.notConnected)")
        #expect(quoted(nil) == "(no name)" && quoted("") == "\"\"" && quoted("a") == "\"a\"")
    }
}
