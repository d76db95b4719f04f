// One link to a peer, shared by several managers of one device.

import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("6 One link, several managers")
struct SharedLinkTests {
    @Test("A3 connects again when an app connects while its link is being lost")
    func connectingDuringLoss() throws {
        let talk = Conversation()
        let peripheral = try talk.connect()
        let (late, same) = try talk.otherApp(connectedTo: peripheral)
        late.calls = []
        // The first manager's queue hears of the loss while the second one's is still busy.
        talk.central.onCall = { call in
            guard call.hasPrefix("disconnect") else { return }
            #expect(same.state == .connected)
            late.manager.connect(same)
        }
        talk.ballAdapter.setPowered(false)
        try #require(talk.testbed.run { !late.calls.isEmpty })
        #expect(late.calls == ["disconnect 1 CBErrorDomain 6"])
        #expect(same.state == .connecting)
        talk.ballAdapter.setPowered(true)
        #expect(talk.testbed.run { late.calls.last == "connect 2" })
        late.manager.cancelPeripheralConnection(same)
        #expect(talk.testbed.run { late.calls.last == "disconnect 0" })
    }

    @Test("A3 drops requests for a lost link instead of sending them on the next one")
    func askingDuringLoss() throws {
        let talk = Conversation()
        let peripheral = try talk.connect()
        talk.central.calls = []
        talk.centralAdapter.holdCallbacks(for: .seconds(10))
        talk.ballAdapter.setPowered(false)
        talk.testbed.run(.seconds(1))
        #expect(peripheral.state == .connected)
        talk.central.manager.connect(peripheral)
        talk.ballAdapter.setPowered(true)
        talk.testbed.run(.seconds(2))
        // There is a new link, and the app knows of neither the loss nor the link.
        #expect(peripheral.state == .connected && talk.central.calls.isEmpty)
        peripheral.discoverServices(nil)
        peripheral.openL2CAPChannel(0x80)
        talk.testbed.run(.seconds(20))
        #expect(talk.central.calls == ["disconnect 1 CBErrorDomain 6", "connect 2"])
        peripheral.discoverServices(nil)
        #expect(talk.testbed.run { talk.central.calls.count == 3 })
        #expect(talk.central.calls.last?.hasPrefix("services") == true)
    }

    @Test("B2 reports a refused subscription to both managers")
    func refusedSecondSubscriber() throws {
        let pair = try ForeignPair()
        let characteristics = try pair.discover()
        pair.foreign.onRequest = { $0[0] == 0x12 ? [0x01, 0x12, 0x04, 0x00, 0x05] : nil }
        pair.first.found[0].setNotifyValue(true, for: characteristics[0])
        pair.second.found[0].setNotifyValue(true, for: characteristics[1])
        pair.testbed.run()
        #expect(pair.first.calls.last == "notifying false CBATTErrorDomain 5")
        #expect(pair.second.calls.last == "notifying false CBATTErrorDomain 5")
        #expect(!characteristics[1].isNotifying)
    }

    @Test("7.8 B3 subscribes once for two managers, and unsubscribes when the last one leaves")
    func twoSubscribers() throws {
        let pair = try ForeignPair()
        let characteristics = try pair.discover()
        pair.first.found[0].setNotifyValue(true, for: characteristics[0])
        pair.second.found[0].setNotifyValue(true, for: characteristics[1])
        pair.testbed.run()
        #expect(characteristics.filter(\.isNotifying).count == 2)
        #expect(pair.configurations == [1])
        pair.push("bum")
        #expect(pair.first.values == ["bum"] && pair.second.values == ["bum"])
        pair.first.found[0].setNotifyValue(false, for: characteristics[0])
        pair.push("one")
        #expect(pair.configurations == [1])
        #expect(pair.first.values == ["bum"] && pair.second.values == ["bum", "one"])
        pair.second.manager.cancelPeripheralConnection(pair.second.found[0])
        pair.testbed.run()
        #expect(pair.second.calls.last == "disconnect 0" && pair.first.found[0].state == .connected)
        #expect(pair.configurations == [1, 0])
    }

    @Test(
        "5.3 5.5 6.2 6.4 connects without advertising if another app has the link, and keeps it when that one cancels"
    )
    func linkedByOthers() throws {
        let talk = Conversation()
        let (peripheral, _, _) = try talk.discover()
        talk.ball.manager.stopAdvertising()
        talk.testbed.run()
        let other = talk.testbed.central(on: talk.centralAdapter)
        let found = other.manager.retrieveConnectedPeripherals(withServices: [IDs.other, IDs.service])
        let same = try #require(found.first)
        #expect(same.state == .disconnected, "it has to be connected to here, too")
        #expect(same.name == peripheral.name)
        other.manager.connect(same)
        #expect(talk.testbed.run(until: { same.state == .connected }, within: .milliseconds(50)))
        talk.central.disconnect(peripheral, in: talk.testbed)
        #expect(same !== peripheral && same.state == .connected && other.calls.last == "connect 2")
    }
}

extension ForeignPair {
    fileprivate func push(_ text: String) {
        self.foreign.push([0x1B, 0x03, 0x00] + Array(text.utf8))
        self.testbed.run()
    }
}
