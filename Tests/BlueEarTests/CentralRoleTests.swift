import CoreBluetooth
import Foundation
import NIOCore
import Testbed
import Testing

@testable import BlueEar

@Suite("The central role")
struct CentralRoleTests {
    private let testbed = Testbed()

    /// A speaker and a listener that have connected.
    private func pair() throws -> (Speaker, Listener, CBCentralManager, CBPeripheral) {
        let (speaker, listener) = testbed.conversation()
        let manager = try #require(listener.manager.centralManager)
        return (speaker, listener, manager, try #require(listener.manager.discoveredPeripheral))
    }

    /// A listener that is launched again with the state of another one, which had a link.
    private func successor(of first: Listener, message: [String: String]? = nil) throws -> Listener {
        let manager = try #require(first.manager.centralManager)
        let peripheral = try #require(first.manager.discoveredPeripheral)
        let second = Listener(message, on: first.adapter, in: testbed)
        second.manager.stays = true
        second.manager.centralManager = manager
        let state = [CBCentralManagerRestoredStatePeripheralsKey: [peripheral]]
        second.manager.centralManager(manager, willRestoreState: state)
        second.manager.centralManagerDidUpdateState(manager)
        return second
    }

    @Test("resumes a link that outlived the app, and explores it unless it is subscribed", arguments: [true, false])
    func takenUp(isListening: Bool) throws {
        let (speaker, first, _, peripheral) = try pair()
        if !isListening {
            let characteristic = try #require(peripheral.services?.first?.characteristics?.first)
            peripheral.setNotifyValue(false, for: characteristic)
            #expect(testbed.run { speaker.ended.count == 1 })
        }
        let second = try self.successor(of: first)
        #expect(second.calls == ["didConnectPeripheral"])
        #expect(second.begun == (isListening ? 1 : 0))
        #expect(testbed.run { second.begun == 1 && speaker.manager.listeners.count == 1 })
        try speaker.manager.send(["still": "there"])
        #expect(testbed.run { second.received == [["still": "there"]] })
        #expect(second.calls == ["didConnectPeripheral", "didReceiveData"])
    }

    @Test("waits without a time limit for a peripheral that was lost before the app was launched again")
    func waitedFor() throws {
        let (speaker, first, _, _) = try pair()
        speaker.adapter.setPowered(false)
        #expect(testbed.run { first.ended == 1 })
        let second = try self.successor(of: first)
        testbed.run(.minutes(10))
        #expect(second.calls.isEmpty)
    }

    @Test("searches for a cancelled peripheral when the adapter is back", arguments: [true, false])
    func givenUpWithoutAdapter(isConnected: Bool) throws {
        let foreign = ArticlePeripheral(on: testbed.adapter())
        if isConnected { foreign.service.characteristics = [] }
        let listener = Listener(nil, on: testbed.adapter(), in: testbed)
        listener.onCall = { name in
            guard name.hasPrefix("didDiscover: "), !isConnected else { return }
            foreign.peripheralManager?.stopAdvertising()
        }
        listener.scan()
        #expect(testbed.run(until: { listener.calls.contains("didFailConnection") }, within: .seconds(15)))
        listener.adapter.setPowered(false)
        testbed.run(.seconds(1))
        listener.adapter.setPowered(true)
        #expect(testbed.run { listener.calls.last == "didStartScanningPeripherals" })
        #expect(listener.ended == 0)
    }

    @Test("requests a connection again that the system dropped")
    func droppedRequest() throws {
        let (speaker, listener, manager, peripheral) = try pair()
        speaker.adapter.setPowered(false)
        #expect(testbed.run { listener.ended == 1 })
        let calls = listener.calls
        manager.cancelPeripheralConnection(peripheral)
        listener.manager.centralManager(manager, didDisconnectPeripheral: peripheral, error: nil)
        testbed.run(.seconds(20))
        #expect(listener.calls == calls && listener.ended == 1)
        #expect(peripheral.state == .connecting)
        speaker.adapter.setPowered(true)
        #expect(testbed.run { listener.begun == 2 })
    }

    @Test("reports the end of a conversation once, even if the next link fails")
    func oneEnd() throws {
        let ear = ArticlePeripheral(on: testbed.adapter())
        ear.isSilent = true
        let adapter = testbed.adapter()
        let listener = Listener(nil, on: adapter, in: testbed)
        listener.scan()
        #expect(testbed.run { listener.begun == 1 })
        listener.onCall = { name in
            guard name == "didDisconnectPeripheral", listener.ended == 1 else { return }
            ear.peripheralManager?.removeAllServices()
            ear.service.characteristics = []
            ear.peripheralManager?.add(ear.service)
        }
        let peripheral = try #require(listener.manager.discoveredPeripheral)
        listener.manager.centralManager?.cancelPeripheralConnection(peripheral)
        #expect(testbed.run { listener.errors == [.notAnEar] })
        #expect(testbed.run { listener.calls.suffix(2) == ["didFailConnection", "didDisconnectPeripheral"] })
        #expect(listener.begun == 1 && listener.ended == 1)
    }

    @Test("does not answer a message if it leaves inside its callback")
    func leavingInsteadOfAnswering() {
        let speaker = testbed.speaker()
        let listener = testbed.listener { $0.stays = true }
        #expect(testbed.run { speaker.received.count == 1 })
        speaker.adapter.setPowered(false)
        #expect(testbed.run { listener.ended == 1 })
        listener.onReceive = { _ in listener.manager.leaveWhenDone() }
        speaker.adapter.setPowered(true)
        #expect(testbed.run { listener.isFinished })
        #expect(listener.received.count == 2 && listener.manager.waiting.isEmpty)
        #expect(speaker.received.count == 1)
    }

    @Test("ends the link a second after a broken write, and writes the message on the next one")
    func brokenWrite() throws {
        let ear = ArticlePeripheral(on: testbed.adapter())
        (ear.isSilent, ear.result) = (true, nil)
        let listener = testbed.listener(nil) { $0.stays = true }
        #expect(testbed.run { listener.begun == 1 })
        try listener.manager.send(["k": "v"])
        #expect(testbed.run { ear.writeCount == 1 })
        let peripheral = try #require(listener.manager.discoveredPeripheral)
        let characteristic = try #require(peripheral.services?.first?.characteristics?.first)
        listener.manager.peripheral(peripheral, didWriteValueFor: characteristic, error: CBError(.connectionTimeout))
        #expect(listener.manager.waiting.map(\.pieces.isComplete) == [false])
        testbed.run(.milliseconds(999))
        #expect(!listener.calls.contains("didFailConnection"))
        testbed.run(.milliseconds(1))
        #expect(listener.calls.suffix(2) == ["didFailConnection", "didDisconnectPeripheral"])
        // It is written again on the next link.
        #expect(testbed.run { ear.writeCount == 2 })
        #expect(listener.errors.isEmpty && listener.sent.isEmpty)
    }

    @Test("ignores a value of another characteristic")
    func anotherCharacteristic() throws {
        let (speaker, listener, _, peripheral) = try pair()
        let uuid = CBUUID(string: "2A00")
        let other = CBMutableCharacteristic(type: uuid, properties: .read, value: nil, permissions: .readable)
        listener.manager.peripheral(peripheral, didUpdateValueFor: other, error: CBError(.unknown))
        #expect(listener.errors.isEmpty)
        withExtendedLifetime(speaker) {}
    }

    @Test("stops searching when it leaves, until it begins again")
    func leavesWhileSearching() throws {
        let listener = testbed.listener { $0.stays = true }
        #expect(testbed.run { listener.calls.contains("didStartScanningPeripherals") })
        let manager = try #require(listener.manager.centralManager)
        #expect(manager.isScanning)
        listener.manager.leave()
        #expect(listener.isFinished && !manager.isScanning)
        let speaker = testbed.speaker()
        testbed.run(.seconds(5))
        #expect(speaker.received.isEmpty && listener.calls.count { $0 == "didStartScanningPeripherals" } == 1)
        listener.scan()
        #expect(testbed.run { speaker.received.count == 1 })
        testbed.run(.seconds(20))
        #expect(listener.begun == 1 && listener.ended == 0)
    }

    @Test("reports a message that is too long to be sent")
    func tooLong() {
        let speaker = testbed.speaker()
        let listener = testbed.listener(["a": String(repeating: "x", count: 20_000_000)]) { $0.stays = true }
        #expect(testbed.run { !listener.errors.isEmpty })
        #expect(listener.errors.map { if case .tooLong = $0 { true } else { false } } == [true])
        #expect(listener.received == [["Hello": "Darkness"]])
        testbed.run(.seconds(5))
        #expect(listener.ended == 0 && speaker.received.isEmpty)
    }

    @Test("answers the first message only on a link that outlived the app")
    func answered() throws {
        let (speaker, first, _, _) = try pair()
        let second = try self.successor(of: first, message: ["Yo": "Lo"])
        #expect(second.begun == 1)
        for count in 1...2 {
            try speaker.manager.send(["number": "\(count)"])
            testbed.run { second.received.count == count }
        }
        testbed.run(.seconds(1))
        #expect(second.sent == [["Yo": "Lo"]] && speaker.received.map(\.message) == [["Yo": "Lo"]])
    }

    @Test("waits for a message on the new link before it leaves")
    func leavingOnTheSecondLink() throws {
        let speaker = testbed.speaker()
        let listener = testbed.listener { $0.stays = true }
        #expect(testbed.run { listener.sent == [["Yo": "Lo"]] })
        listener.manager.leaveWhenDone()
        #expect(testbed.run { listener.isFinished })
        speaker.manager.message = nil
        listener.isFinished = false
        listener.scan()
        #expect(testbed.run { listener.begun == 2 })
        listener.manager.leaveWhenDone()
        testbed.run(.seconds(5))
        #expect(!listener.isFinished && listener.ended == 1)
        try speaker.manager.send(["now": "go"])
        #expect(testbed.run { listener.isFinished })
        #expect(listener.received.last == ["now": "go"] && listener.sent.count == 2 && listener.ended == 2)
    }

    @Test("reports a value that cannot be read, and leaves if it reads", arguments: [false, true])
    func brokenValue(reads: Bool) throws {
        let (speaker, listener, _, peripheral) = try pair()
        listener.manager.reads = reads
        let characteristic = try #require(peripheral.services?.first?.characteristics?.first)
        let refusal = CBATTError(.insufficientAuthorization)
        listener.manager.peripheral(peripheral, didUpdateValueFor: characteristic, error: refusal)
        #expect(listener.errors == [.refused(.insufficientAuthorization)])
        #expect(listener.calls.contains("didFailConnection") == reads)
        withExtendedLifetime(speaker) {}
    }

    @Test("reports lost keys at the end of a link, and requests the link again")
    func lostKeys() throws {
        let (speaker, listener, manager, peripheral) = try pair()
        let error = CBError(.peerRemovedPairingInformation)
        listener.manager.centralManager(manager, didDisconnectPeripheral: peripheral, error: error)
        #expect(listener.errors == [.lostKeys] && listener.ended == 1)
        #expect(testbed.run { listener.begun == 2 })
        withExtendedLifetime(speaker) {}
    }
}
