import BluetoothHCI
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("10 Requests and updates")
struct RequestTests {
    @Test("10.2 ignores an answer after the link has ended")
    func lateAnswer() throws {
        let talk = Conversation()
        let (peripheral, question, _) = try talk.discover()
        talk.ball.onRequests = { _ in }
        peripheral.writeValue("1".octets, for: question, type: .withResponse)
        talk.testbed.run { !talk.ball.requests.isEmpty }
        talk.central.disconnect(peripheral, in: talk.testbed)
        talk.ball.manager.respond(to: talk.ball.requests[0], withResult: .success)
        talk.testbed.run(.seconds(1))
        _ = try talk.discover()
    }

    @Test("10.3 refuses requests if the delegate cannot answer them")
    func noListener() throws {
        final class Deaf: NSObject, CBPeripheralManagerDelegate {
            func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
        }
        let talk = Conversation()
        let deaf = Deaf()
        let (peripheral, question, answer) = try talk.discover()
        talk.ball.manager.delegate = deaf
        peripheral.writeValue("1".octets, for: question, type: .withResponse)
        peripheral.readValue(for: answer)
        talk.ball.manager.delegate = nil
        talk.testbed.run { talk.central.errors.count == 2 }
        talk.ball.manager.delegate = deaf
        peripheral.readValue(for: answer)
        #expect(talk.testbed.run { talk.central.errors.count == 3 })
        #expect(talk.central.errors.allSatisfy { ($0 as? CBATTError)?.code == .requestNotSupported })
    }

    @Test(
        "B14 ends subscriptions without a call when a service is removed or Bluetooth goes off",
        arguments: [true, false]
    )
    func silentEnds(removes: Bool) throws {
        let talk = Conversation()
        let (peripheral, _, answer) = try talk.discover()
        peripheral.setNotifyValue(true, for: answer)
        talk.testbed.run { answer.isNotifying }
        #expect(talk.ball.calls.last == "subscribed 1")
        if removes { talk.ball.manager.removeAllServices() } else { talk.ball.manager.adapter.setPowered(false) }
        talk.testbed.run(.seconds(60))
        #expect(!talk.ball.calls.contains { $0.hasPrefix("unsubscribed") })
    }

    @Test("10.4 reports subscriptions with the app's own objects, and unsubscribes a lost link")
    func subscriptions() throws {
        let talk = Conversation()
        let (peripheral, _, answer) = try talk.discover()
        peripheral.setNotifyValue(true, for: answer)
        talk.testbed.run { answer.isNotifying }
        #expect(talk.ball.calls.last == "subscribed 1")
        let central = try #require(talk.ball.centrals.first)
        #expect(central.maximumUpdateValueLength == 512)
        #expect(talk.ball.answer.subscribedCentrals?.first === central)
        talk.central.manager.cancelPeripheralConnection(peripheral)
        talk.testbed.run { talk.ball.calls.last == "unsubscribed 0" }
        #expect(talk.ball.answer.subscribedCentrals?.isEmpty == true)
        // The same central is the same object when it comes again.
        let again = try talk.discover()
        again.peripheral.setNotifyValue(true, for: again.answer)
        talk.testbed.run { again.answer.isNotifying }
        #expect(talk.ball.centrals.count == 2)
        #expect(talk.ball.centrals[1] === central)
    }

    @Test("10.5 refuses updates without capacity, reports once that there is some again, and loses none")
    func updates() throws {
        let talk = Conversation()
        #expect(talk.ball.manager.updateValue("nobody".octets, for: talk.ball.answer, onSubscribedCentrals: nil))
        let (peripheral, _, answer) = try talk.discover()
        peripheral.setNotifyValue(true, for: answer)
        talk.testbed.run { answer.isNotifying }
        #expect(talk.ball.manager.updateValue("nobody".octets, for: talk.ball.answer, onSubscribedCentrals: []))
        var next = 0
        var refusals = 0
        func update() -> Bool {
            talk.ball.manager.updateValue("\(next)".octets, for: talk.ball.answer, onSubscribedCentrals: nil)
        }
        func send() {
            while next < 1000, update() { next += 1 }
            guard next < 1000 else { return }
            #expect(!update())
            refusals += 1
        }
        talk.ball.onCall = { if $0 == "ready" { send() } }
        send()
        #expect(next == TransmitWindow.size)
        talk.testbed.run { talk.central.values.count == 1000 }
        #expect(talk.central.values == (0..<1000).map { "\($0)" })
        #expect(refusals == talk.ball.count("ready"))
    }

    @Test(
        "10.6 asks the central for the parameters of the desired latency",
        arguments: [
            (CBPeripheralManagerConnectionLatency.low, 15...30), (.medium, 60...120), (.high, 240...480),
        ] as [(CBPeripheralManagerConnectionLatency, ClosedRange<Int>)]
    )
    func latency(_ latency: CBPeripheralManagerConnectionLatency, _ milliseconds: ClosedRange<Int>) throws {
        let testbed = Testbed(settings: .realistic)
        let source = BreakableSource(air: testbed.air)
        var intervals: [Int] = []
        source.onPacket = { packet, isFromHost in
            guard !isFromHost, case .leConnectionUpdateComplete(let event)? = try? HCIEvent(packet) else { return }
            intervals.append(Int(event.interval.timeAmount.nanoseconds / 1_000_000))
        }
        let central = CentralApp(on: source.adapter("Curious", testbed))
        let ball = PeripheralApp(on: testbed.adapter("Crystal"))
        testbed.run { ball.manager.state == .poweredOn && central.manager.state == .poweredOn }
        ball.open()
        central.subscribeToAnswer(services: nil)
        try #require(testbed.run { !ball.centrals.isEmpty })
        testbed.run(.seconds(1))
        ball.manager.setDesiredConnectionLatency(latency, for: ball.centrals[0])
        #expect(testbed.run { !intervals.isEmpty })
        #expect(intervals.allSatisfy(milliseconds.contains))
        #expect(central.found[0].state == .connected)
    }
}
