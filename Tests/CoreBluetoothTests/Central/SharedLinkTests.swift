// One link to a peer, shared by two managers of one program.

import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("6 One link, several managers")
struct SharedLinkTests {
    @Test("A3 connecting in the moment of a link loss leads to didConnect, and can be cancelled")
    func connectingDuringLoss() throws {
        let talk = Conversation()
        let peripheral = try talk.connect()
        let (late, same) = try talk.otherApp(knowing: peripheral)
        late.connect(same, in: talk.testbed)
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
        talk.testbed.run { talk.ball.manager.state == .poweredOn }
        talk.ball.advertise(name: "Crystal")
        #expect(talk.testbed.run { late.calls.last == "connect 2" })
        late.manager.cancelPeripheralConnection(same)
        #expect(talk.testbed.run { late.calls.last == "disconnect 0" })
    }

    @Test("A3 what an app asks for on a link that is lost unnoticed is not carried out on the next one")
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
        talk.testbed.run { talk.ball.manager.state == .poweredOn }
        talk.ball.advertise(name: "Crystal")
        talk.testbed.run(.seconds(2))
        // There is a new link, and the app knows of neither the loss nor the link.
        #expect(peripheral.state == .connected && talk.central.calls.isEmpty)
        peripheral.discoverServices(nil)
        peripheral.openL2CAPChannel(0x80)
        talk.testbed.run(.seconds(20))
        #expect(talk.central.calls == ["disconnect 1 CBErrorDomain 6", "connect 2"])
        // What it asks for from then on is.
        peripheral.discoverServices(nil)
        #expect(talk.testbed.run { talk.central.calls.count == 3 })
        #expect(talk.central.calls.last?.hasPrefix("services") == true)
    }

    @Test("B2 a second subscriber gets the peer's answer, not the first one's hope")
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

    @Test("7.8 two subscribers cost one subscription, and the last one ends it")
    func twoSubscribers() throws {
        let pair = try ForeignPair()
        let characteristics = try pair.discover()
        pair.first.found[0].setNotifyValue(true, for: characteristics[0])
        pair.second.found[0].setNotifyValue(true, for: characteristics[1])
        pair.testbed.run()
        #expect(characteristics.filter(\.isNotifying).count == 2)
        #expect(pair.configurations == [1])
        pair.foreign.push([0x1B, 0x03, 0x00] + Array("bum".utf8))
        pair.testbed.run()
        #expect(pair.first.values == ["bum"])
        #expect(pair.second.values == ["bum"])
        pair.first.found[0].setNotifyValue(false, for: characteristics[0])
        pair.testbed.run()
        #expect(pair.configurations == [1])
        pair.second.found[0].setNotifyValue(false, for: characteristics[1])
        pair.testbed.run()
        #expect(pair.configurations == [1, 0])
    }

    @Test("B3 a manager that cancels takes its subscription with it where no other has one")
    func cancelledSubscriber() throws {
        let pair = try ForeignPair()
        let characteristics = try pair.discover()
        pair.first.found[0].setNotifyValue(true, for: characteristics[0])
        pair.testbed.run()
        #expect(pair.configurations == [1])
        pair.first.manager.cancelPeripheralConnection(pair.first.found[0])
        #expect(pair.testbed.run { pair.first.calls.last == "disconnect 0" })
        pair.testbed.run()
        #expect(pair.second.found[0].state == .connected)
        #expect(pair.configurations == [1, 0])
    }

    @Test("B3 a subscription that another manager has stays")
    func sharedSubscription() throws {
        let pair = try ForeignPair()
        let characteristics = try pair.discover()
        for (app, characteristic) in zip([pair.first, pair.second], characteristics) {
            app.found[0].setNotifyValue(true, for: characteristic)
        }
        pair.testbed.run()
        pair.first.manager.cancelPeripheralConnection(pair.first.found[0])
        pair.testbed.run()
        #expect(pair.configurations == [1])
        pair.foreign.push([0x1B, 0x03, 0x00] + Array("bum".utf8))
        pair.testbed.run()
        #expect(pair.second.values == ["bum"])
    }
}
