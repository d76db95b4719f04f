// What a central does at the turns of its stages: a link that outlived the app, one that is given up, one that ends while
// the adapter is off.

import CoreBluetooth
import Foundation
import NIOCore
import Testbed
import Testing

@testable import BlueEar

@Suite("A central's stages")
struct StageTests {
    private let testbed = Testbed()

    /// A listener that gets the state of another one, which had a link, as an app that is launched again.
    private func successor(of first: Listener) throws -> Listener {
        let manager = try #require(first.manager.centralManager)
        let peripheral = try #require(first.manager.discoveredPeripheral)
        let second = Listener(nil, on: first.adapter, in: self.testbed)
        second.manager.stays = true
        second.manager.centralManager = manager
        let state = [CBCentralManagerRestoredStatePeripheralsKey: [peripheral]]
        second.manager.centralManager(manager, willRestoreState: state)
        return second
    }

    @Test(
        "A link that outlived the app is reported and taken up: at once where it is listened to, else it is explored",
        arguments: [true, false]
    )
    func takenUp(isListening: Bool) throws {
        let speaker = self.testbed.speaker(nil)
        let first = self.testbed.listener(nil) { $0.stays = true }
        #expect(self.testbed.run { first.begun == 1 })
        if !isListening {
            let peripheral = try #require(first.manager.discoveredPeripheral)
            let characteristic = try #require(peripheral.services?.first?.characteristics?.first)
            peripheral.setNotifyValue(false, for: characteristic)
            #expect(self.testbed.run { speaker.ended.count == 1 })
        }
        let second = try self.successor(of: first)
        second.manager.centralManagerDidUpdateState(try #require(second.manager.centralManager))
        #expect(second.calls == ["didConnectPeripheral"])
        #expect(second.begun == (isListening ? 1 : 0))
        #expect(self.testbed.run { second.begun == 1 && speaker.manager.listeners.count == 1 })
        try speaker.manager.send(["still": "there"])
        #expect(self.testbed.run { second.received == [["still": "there"]] })
        #expect(second.calls == ["didConnectPeripheral", "didReceiveData"])
    }

    @Test("A peripheral that was lost before the app was launched again is waited for, without a limit and unreported")
    func waitedFor() throws {
        let speaker = self.testbed.speaker(nil)
        let first = self.testbed.listener(nil) { $0.stays = true }
        #expect(self.testbed.run { first.begun == 1 })
        speaker.adapter.setPowered(false)
        #expect(self.testbed.run { first.ended == 1 })
        let second = try self.successor(of: first)
        second.manager.centralManagerDidUpdateState(try #require(second.manager.centralManager))
        self.testbed.run(.minutes(10))
        #expect(second.calls.isEmpty)
    }

    @Test(
        "A peripheral that was given up is searched for, not waited for, when the adapter comes back",
        arguments: [true, false]
    )
    func givenUpWithoutAdapter(isConnected: Bool) throws {
        let foreign = ArticlePeripheral(on: self.testbed.adapter())
        if isConnected { foreign.service.characteristics = [] }
        let listener = Listener(nil, on: self.testbed.adapter(), in: self.testbed)
        listener.onCall = { name in
            guard name.hasPrefix("didDiscover: "), !isConnected else { return }
            // Nobody is there any more who could be connected to.
            foreign.peripheralManager?.stopAdvertising()
        }
        listener.scan()
        #expect(self.testbed.run(until: { listener.calls.contains("didFailConnection") }, within: .seconds(15)))
        listener.adapter.setPowered(false)
        self.testbed.run(.seconds(1))
        listener.adapter.setPowered(true)
        #expect(self.testbed.run { listener.calls.last == "didStartScanningPeripherals" })
        #expect(listener.ended == 0)
    }

    @Test("A pending connection that the system drops is requested again, and nothing is reported")
    func droppedRequest() throws {
        let speaker = self.testbed.speaker(nil)
        let listener = self.testbed.listener(nil) { $0.stays = true }
        #expect(self.testbed.run { listener.begun == 1 })
        speaker.adapter.setPowered(false)
        #expect(self.testbed.run { listener.ended == 1 })
        let calls = listener.calls
        let peripheral = try #require(listener.manager.discoveredPeripheral)
        let manager = try #require(listener.manager.centralManager)
        manager.cancelPeripheralConnection(peripheral)
        listener.manager.centralManager(manager, didDisconnectPeripheral: peripheral, error: nil)
        self.testbed.run(.seconds(20))
        #expect(listener.calls == calls && listener.ended == 1)
        #expect(peripheral.state == .connecting)
        speaker.adapter.setPowered(true)
        #expect(self.testbed.run { listener.begun == 2 })
    }

    @Test("The end of a talk is reported once, also where the next link comes to none")
    func oneEnd() throws {
        let ear = ArticlePeripheral(on: self.testbed.adapter())
        ear.isSilent = true
        let adapter = self.testbed.adapter()
        let listener = Listener(nil, on: adapter, in: self.testbed)
        listener.scan()
        #expect(self.testbed.run { listener.begun == 1 })
        listener.onCall = { name in
            guard name == "didDisconnectPeripheral", listener.ended == 1 else { return }
            ear.peripheralManager?.removeAllServices()
            ear.service.characteristics = []
            ear.peripheralManager?.add(ear.service)
        }
        let peripheral = try #require(listener.manager.discoveredPeripheral)
        listener.manager.centralManager?.cancelPeripheralConnection(peripheral)
        #expect(self.testbed.run { listener.errors == [.notAnEar] })
        #expect(self.testbed.run { listener.calls.suffix(2) == ["didFailConnection", "didDisconnectPeripheral"] })
        #expect(listener.begun == 1 && listener.ended == 1)
    }

    @Test("Who leaves from inside the callback of a message on a second link answers it no more")
    func leavingInsteadOfAnswering() {
        let speaker = self.testbed.speaker()
        let listener = self.testbed.listener { $0.stays = true }
        #expect(self.testbed.run { speaker.received.count == 1 })
        speaker.adapter.setPowered(false)
        #expect(self.testbed.run { listener.ended == 1 })
        listener.onReceive = { _ in listener.manager.leaveWhenDone() }
        speaker.adapter.setPowered(true)
        #expect(self.testbed.run { listener.isFinished })
        #expect(listener.received.count == 2 && listener.manager.waiting.isEmpty)
        #expect(speaker.received.count == 1)
    }

    @Test("An error of a write that is no refusal ends the link after a second, and the message is kept")
    func brokenWrite() throws {
        let ear = RefusingEar(nil, on: self.testbed.adapter())
        let listener = self.testbed.listener(nil) { $0.stays = true }
        #expect(self.testbed.run { listener.begun == 1 })
        try listener.manager.send(["k": "v"])
        #expect(self.testbed.run { ear.writeCount == 1 })
        let peripheral = try #require(listener.manager.discoveredPeripheral)
        let characteristic = try #require(peripheral.services?.first?.characteristics?.first)
        listener.manager.peripheral(peripheral, didWriteValueFor: characteristic, error: CBError(.connectionTimeout))
        #expect(listener.manager.waiting.map(\.pieces.isComplete) == [false])
        self.testbed.run(.milliseconds(999))
        #expect(!listener.calls.contains("didFailConnection"))
        self.testbed.run(.milliseconds(1))
        #expect(listener.calls.suffix(2) == ["didFailConnection", "didDisconnectPeripheral"])
        // It is written again on the next link.
        #expect(self.testbed.run { ear.writeCount == 2 })
        #expect(listener.errors.isEmpty && listener.sent.isEmpty)
    }

    @Test("A foreign device is looked for again after five seconds, one that failed after one")
    func delays() throws {
        let foreign = ArticlePeripheral(on: self.testbed.adapter())
        foreign.service.characteristics = []
        let listener = self.testbed.listener(nil)
        #expect(self.testbed.run { listener.calls.last == "didDisconnectPeripheral" })
        // The last step of the wait above was one of five milliseconds.
        self.testbed.run(.milliseconds(4_994))
        #expect(listener.calls.last == "didDisconnectPeripheral")
        self.testbed.run(.milliseconds(7))
        #expect(listener.calls.last == "didStartScanningPeripherals")
        #expect(CentralRole.BluetoothManager.connectionTimeout == 10)
        #expect(CentralRole.BluetoothManager.retryDelay == 1)
    }

    @Test("A delayed value of another characteristic is none of the talk's")
    func anotherCharacteristic() throws {
        let speaker = self.testbed.speaker(nil)
        let listener = self.testbed.listener(nil) { $0.stays = true }
        #expect(self.testbed.run { listener.begun == 1 })
        let peripheral = try #require(listener.manager.discoveredPeripheral)
        let uuid = CBUUID(string: "2A00")
        let other = CBMutableCharacteristic(type: uuid, properties: .read, value: nil, permissions: .readable)
        listener.manager.peripheral(peripheral, didUpdateValueFor: other, error: CBError(.unknown))
        #expect(listener.errors.isEmpty)
        withExtendedLifetime(speaker) {}
    }

    @Test("Who leaves while nobody is there has finished at once, and searches no more, until it begins anew")
    func leavesWhileSearching() throws {
        let listener = self.testbed.listener { $0.stays = true }
        #expect(self.testbed.run { listener.calls.contains("didStartScanningPeripherals") })
        let manager = try #require(listener.manager.centralManager)
        #expect(manager.isScanning)
        listener.manager.leave()
        #expect(listener.isFinished && !manager.isScanning)
        let speaker = self.testbed.speaker()
        self.testbed.run(.seconds(5))
        #expect(speaker.received.isEmpty && listener.calls.count { $0 == "didStartScanningPeripherals" } == 1)
        listener.scan()
        #expect(self.testbed.run { speaker.received.count == 1 })
        // It stays, as it is to.
        self.testbed.run(.seconds(20))
        #expect(listener.begun == 1 && listener.ended == 0)
    }

    @Test("A message that is too long to be sent is reported, and the talk goes on")
    func tooLong() {
        let speaker = self.testbed.speaker()
        let listener = self.testbed.listener(["a": String(repeating: "x", count: 20_000_000)]) { $0.stays = true }
        #expect(self.testbed.run { !listener.errors.isEmpty })
        #expect(listener.errors.map { if case .tooLong = $0 { true } else { false } } == [true])
        #expect(listener.received == [["Hello": "Darkness"]])
        self.testbed.run(.seconds(5))
        #expect(listener.ended == 0 && speaker.received.isEmpty)
    }
}
