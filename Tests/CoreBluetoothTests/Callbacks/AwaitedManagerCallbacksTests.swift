// The callbacks of the two managers that apps wait for, in each way in which published code waits.

import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Callbacks of managers that apps wait for")
struct AwaitedManagerCallbacksTests {
    private func run(_ talk: Conversation) { talk.testbed.run(.seconds(2)) }

    @Test("didUpdateState comes once at first and once for each change, whoever waits")
    func state() {
        let testbed = Testbed()
        let adapter = testbed.adapter()
        let central = CentralApp(on: adapter)
        let ball = PeripheralApp(on: adapter)
        #expect(central.calls.isEmpty && ball.calls.isEmpty, "never inside the initializer")
        #expect(central.manager.state == .unknown && ball.manager.state == .unknown)
        testbed.run(.seconds(60))
        for isOn in [false, false, true, true] {
            adapter.setPowered(isOn)
            testbed.run()
        }
        #expect(central.calls == ["state 5", "state 4", "state 5"] && ball.calls == central.calls)
        // A manager that is made later has its own.
        let late = CentralApp(on: adapter)
        testbed.run()
        #expect(late.calls == ["state 5"])
    }

    @Test("didDiscover comes once for each scan, and not before, between or after scans")
    func discover() {
        let talk = Conversation()
        let manager = talk.central.manager!
        func count() -> Int { talk.central.calls.count { $0.hasPrefix("discover") } }
        self.run(talk)
        #expect(count() == 0)
        for number in 1...3 {
            manager.scanForPeripherals(withServices: [IDs.service])
            self.run(talk)
            self.run(talk)
            #expect(count() == number)
        }
        manager.scanForPeripherals(withServices: [IDs.service])
        manager.stopScan()
        self.run(talk)
        #expect(count() == 3)
    }

    @Test("didConnect and didDisconnect come once for each connection, however often it is asked for")
    func connect() throws {
        let talk = Conversation()
        let peripheral = try talk.find()
        let manager = talk.central.manager!
        manager.stopScan()
        talk.central.calls = []
        for number in 1...3 {
            for _ in 0..<3 { manager.connect(peripheral) }
            #expect(peripheral.state == .connecting)
            self.run(talk)
            #expect(talk.central.count("connect 2") == number)
            for _ in 0..<3 { manager.cancelPeripheralConnection(peripheral) }
            self.run(talk)
            #expect(talk.central.count("disconnect 0") == number)
        }
        // A connection that is cancelled at once is only disconnected; one that there is not, not even that.
        manager.connect(peripheral)
        manager.cancelPeripheralConnection(peripheral)
        self.run(talk)
        manager.cancelPeripheralConnection(peripheral)
        self.run(talk)
        #expect(talk.central.count("connect 2") == 3 && talk.central.count("disconnect 0") == 4)
        // One that is asked for again is reported again.
        manager.connect(peripheral)
        self.run(talk)
        manager.connect(peripheral)
        self.run(talk)
        #expect(talk.central.count("connect 2") == 5)
    }

    @Test("didAdd, didStartAdvertising, didPublish and didUnpublish come once for each call, in the order of the calls")
    func publishing() {
        let talk = Conversation { _ in }
        let ball = talk.ball
        ball.calls = []
        for number in 1...3 {
            let service = CBMutableService(type: IDs.other, primary: true)
            service.characteristics = []
            ball.manager.add(service)
            ball.advertise(name: "Crystal")
            ball.manager.publishL2CAPChannel(withEncryption: false)
            #expect(ball.calls.count == 4 * (number - 1), "never inside the call")
            self.run(talk)
            ball.manager.unpublishL2CAPChannel(ball.psms.last ?? 0)
            ball.manager.stopAdvertising()
            self.run(talk)
            #expect(ball.calls.count == 4 * number)
        }
        let kinds = ball.calls.map { $0.split(separator: " ")[0] }
        #expect(Array(kinds.prefix(4)).sorted() == ["added", "advertising", "published", "unpublished"])
        // While it advertises, a second call gets an error; so does a PSM that is none.
        ball.calls = []
        for _ in 0..<2 { ball.advertise(name: "Crystal") }
        ball.manager.unpublishL2CAPChannel(0xF0)
        self.run(talk)
        #expect(
            ball.calls.sorted() == [
                "advertising false CBErrorDomain 9", "advertising true", "unpublished 240 CBErrorDomain 1",
            ]
        )
        // Without Bluetooth none comes.
        talk.ballAdapter.setPowered(false)
        self.run(talk)
        ball.calls = []
        ball.manager.add(CBMutableService(type: IDs.other, primary: true))
        ball.advertise(name: "Crystal")
        ball.manager.publishL2CAPChannel(withEncryption: false)
        ball.manager.unpublishL2CAPChannel(0xF0)
        self.run(talk)
        #expect(ball.calls.isEmpty)
    }

    @Test("didSubscribe and didUnsubscribe come once for each change, and the latter once for a lost link")
    func subscriptions() throws {
        let talk = Conversation()
        let (peripheral, _, answer) = try talk.discover()
        talk.ball.calls = []
        for isOn in [true, true, false, false, true] {
            peripheral.setNotifyValue(isOn, for: answer)
            self.run(talk)
            #expect(talk.ball.answer.subscribedCentrals?.first === (isOn ? talk.ball.centrals.last : nil))
        }
        talk.central.disconnect(peripheral, in: talk.testbed)
        self.run(talk)
        #expect(talk.ball.calls == ["subscribed 1", "unsubscribed 0", "subscribed 1", "unsubscribed 0"])
        #expect(talk.ball.centrals.count == 2 && talk.ball.centrals[0] === talk.ball.centrals[1])
    }

    @Test("didReceiveRead and didReceiveWrite come once for each request, also while one is not answered")
    func requests() throws {
        let talk = Conversation()
        let (peripheral, question, answer) = try talk.discover()
        talk.ball.calls = []
        var waiting: [CBATTRequest] = []
        talk.ball.onRequests = { waiting += $0 }
        peripheral.readValue(for: answer)
        peripheral.writeValue("?".octets, for: question, type: .withResponse)
        self.run(talk)
        #expect(talk.ball.calls == ["read 0"], "ATT has one request at a time")
        talk.ball.manager.respond(to: waiting[0], withResult: .success)
        self.run(talk)
        #expect(talk.ball.calls == ["read 0", "write 1"])
        // A second answer is none.
        for request in waiting { talk.ball.manager.respond(to: request, withResult: .success) }
        peripheral.writeValue("?".octets, for: question, type: .withoutResponse)
        self.run(talk)
        #expect(talk.ball.calls == ["read 0", "write 1", "write 1"])
        #expect(talk.central.count("value") == 1 && talk.central.count("wrote") == 1)
    }

    @Test("K1 isReady(toSendWriteWithoutResponse:) comes in each way in which published code waits for it")
    func readyToWrite() throws {
        let talk = Conversation()
        let (peripheral, question, _) = try talk.discover()
        func write() { peripheral.writeValue("1".octets, for: question, type: .withoutResponse) }
        func ready() -> Int { talk.central.count("ready") }
        // Before anything was written: the app may write, and is not called.
        self.run(talk)
        #expect(peripheral.canSendWriteWithoutResponse && ready() == 0)
        // One write after the other, each once the call for the one before it has come.
        var left = 10
        talk.central.onCall = { call in
            guard call == "ready", left > 0 else { return }
            left -= 1
            write()
        }
        write()
        self.run(talk)
        #expect(left == 0 && ready() == 11 && talk.ball.written.count == 11)
        // As many as there is space for, then the call; more of them than that, without asking.
        for count in [2, TransmitWindow.size - 1, TransmitWindow.size, 3 * TransmitWindow.size] {
            let before = ready()
            for _ in 0..<count { write() }
            self.run(talk)
            #expect(ready() > before, "\(count)")
        }
        // Never again after the last.
        let last = ready()
        self.run(talk)
        #expect(ready() == last)
    }
}
