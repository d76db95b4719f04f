import BluetoothAir
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("10 Requests and updates")
struct RequestTests {
    @Test("10.1 a read is answered from its offset on, as often as the value needs")
    func longRead() throws {
        let talk = Conversation()
        talk.ball.reading = Data(count: 512)
        let (peripheral, _, answer) = try talk.discover()
        peripheral.readValue(for: answer)
        talk.testbed.run { answer.value?.count == 512 }
        #expect(talk.ball.requests.map(\.offset).sorted() == talk.ball.requests.map(\.offset))
        #expect(talk.ball.requests.first?.offset == 0)
        #expect(talk.ball.requests.allSatisfy { $0.characteristic === talk.ball.answer })
    }

    @Test("10.1 an error answers a read")
    func readError() throws {
        let talk = Conversation()
        talk.ball.onRequests = { talk.ball.manager.respond(to: $0[0], withResult: .insufficientResources) }
        let (peripheral, _, answer) = try talk.discover()
        peripheral.readValue(for: answer)
        talk.testbed.run { talk.central.calls.last?.hasPrefix("value") == true }
        #expect(talk.central.calls.last == "value CBATTErrorDomain 17")
        #expect(answer.value == nil)
    }

    @Test("10.2 only the first answer counts; answers to write commands do no harm")
    func answers() throws {
        let talk = Conversation()
        let (peripheral, question, _) = try talk.discover()
        talk.ball.onRequests = { requests in
            talk.ball.manager.respond(to: requests[0], withResult: .success)
            talk.ball.manager.respond(to: requests[0], withResult: .unlikelyError)
        }
        peripheral.writeValue("1".octets, for: question, type: .withResponse)
        peripheral.writeValue("2".octets, for: question, type: .withoutResponse)
        peripheral.writeValue("3".octets, for: question, type: .withResponse)
        talk.testbed.run { talk.central.count("wrote") == 2 }
        #expect(talk.central.count("wrote") == 2)
        #expect(talk.ball.written.map(\.text) == ["1", "2", "3"])
    }

    @Test("10.2 writes without response that the app keeps are objects of their own, and stay what they were")
    func keptCommands() throws {
        let talk = Conversation()
        let (peripheral, question, _) = try talk.discover()
        for number in 1...5 { peripheral.writeValue("\(number)".octets, for: question, type: .withoutResponse) }
        talk.testbed.run { talk.ball.written.count == 5 }
        #expect(talk.ball.requests.compactMap { $0.value?.text } == ["1", "2", "3", "4", "5"])
        #expect(Set(talk.ball.requests.map(ObjectIdentifier.init)).count == 5)
    }

    @Test("10.2 a long write arrives at once")
    func longWrite() throws {
        let talk = Conversation()
        let (peripheral, question, _) = try talk.discover()
        let data = Data((0..<512).map { UInt8(truncatingIfNeeded: $0) })
        peripheral.writeValue(data, for: question, type: .withResponse)
        talk.testbed.run { talk.central.calls.last == "wrote" }
        #expect(talk.ball.written == [data])
        #expect(talk.ball.requests.first?.offset == 0)
    }

    @Test("10.2 an answer after the link has ended is harmless")
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

    @Test("10.3 a delegate that does not listen refuses, so that nobody waits")
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
        "B14: a service that is removed, and Bluetooth that goes off, end subscriptions without a call",
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

    @Test("10.4 subscribing and unsubscribing carry the app's own object; a lost link unsubscribes")
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

    @Test("10.5 updates: false where there is no capacity, then ready; all arrive in order")
    func updates() throws {
        let talk = Conversation()
        let (peripheral, _, answer) = try talk.discover()
        peripheral.setNotifyValue(true, for: answer)
        talk.testbed.run { answer.isNotifying }
        var next = 0
        var refusals = 0
        func send() {
            while next < 1000 {
                guard
                    talk.ball.manager.updateValue(
                        "\(next)".octets,
                        for: talk.ball.answer,
                        onSubscribedCentrals: nil
                    )
                else {
                    refusals += 1
                    return
                }
                next += 1
            }
        }
        talk.ball.onCall = { if $0 == "ready" { send() } }
        send()
        #expect(next == TransmitWindow.size)
        talk.testbed.run { talk.central.values.count == 1000 }
        #expect(talk.central.values == (0..<1000).map { "\($0)" })
        #expect(refusals == talk.ball.count("ready"))
    }

    @Test("10.5 a value that is too long is cut; who is not subscribed gets nothing")
    func cut() throws {
        let talk = Conversation()
        let (peripheral, _, answer) = try talk.discover()
        #expect(talk.ball.manager.updateValue("x".octets, for: talk.ball.answer, onSubscribedCentrals: nil))
        peripheral.setNotifyValue(true, for: answer)
        talk.testbed.run { answer.isNotifying }
        let central = try #require(talk.ball.centrals.first)
        talk.ball.manager.updateValue(Data(count: 600), for: talk.ball.answer, onSubscribedCentrals: [central])
        talk.testbed.run { answer.value != nil }
        #expect(answer.value?.count == central.maximumUpdateValueLength)
        talk.central.values = []
        #expect(talk.ball.manager.updateValue("y".octets, for: talk.ball.answer, onSubscribedCentrals: []))
        talk.testbed.run()
        #expect(talk.central.values.isEmpty)
    }

    /// A ball with three centrals that are subscribed.
    private func crowd() -> (testbed: Testbed, ball: PeripheralApp, centrals: [CentralApp]) {
        let testbed = Testbed()
        let ball = PeripheralApp(on: testbed.adapter("Crystal"))
        let centrals = (1...3).map { CentralApp(on: testbed.adapter("Central \($0)")) }
        testbed.run { ball.manager.state == .poweredOn && centrals.allSatisfy { $0.manager.state == .poweredOn } }
        ball.open()
        for central in centrals { central.subscribeToAnswer(services: [IDs.service]) }
        #expect(testbed.run { ball.answer.subscribedCentrals?.count == 3 })
        return (testbed, ball, centrals)
    }

    @Test("10.5 updates for several: a central with capacity is not waited for when another has none")
    func unevenCapacity() {
        let (testbed, ball, centrals) = self.crowd()
        var next = 0
        func send() {
            while next < 300,
                ball.manager.updateValue("\(next)".octets, for: ball.answer, onSubscribedCentrals: nil)
            {
                next += 1
            }
        }
        // The first central's window is fuller than the others', which are empty long before it has capacity again.
        for _ in 0..<40 {
            ball.manager.updateValue("x".octets, for: ball.answer, onSubscribedCentrals: [ball.centrals[0]])
        }
        ball.onCall = { if $0 == "ready" { send() } }
        send()
        #expect(next == TransmitWindow.size - 40)
        #expect(testbed.run { next == 300 }, "stopped at \(next)")
        testbed.run()
        for central in centrals {
            #expect(central.values.filter { $0 != "x" } == (0..<300).map { "\($0)" })
        }
    }

    @Test("10.5 one update goes to all who are subscribed, or to those who are named")
    func several() throws {
        let (testbed, ball, centrals) = self.crowd()
        ball.manager.updateValue("all".octets, for: ball.answer, onSubscribedCentrals: nil)
        testbed.run { centrals.allSatisfy { $0.values == ["all"] } }
        #expect(centrals.allSatisfy { $0.values == ["all"] })
        ball.manager.updateValue(
            "two".octets,
            for: ball.answer,
            onSubscribedCentrals: [ball.centrals[0], ball.centrals[2]]
        )
        ball.manager.updateValue("one".octets, for: ball.answer, onSubscribedCentrals: [ball.centrals[1]])
        testbed.run()
        #expect(centrals.map(\.values.count) == [2, 2, 2])
        #expect(centrals.count { $0.values.last == "two" } == 2)
        #expect(centrals.count { $0.values.last == "one" } == 1)
    }

    @Test("10.6 the desired latency changes nothing for the app")
    func latency() throws {
        let talk = Conversation(settings: .realistic)
        let (peripheral, question, answer) = try talk.discover()
        peripheral.setNotifyValue(true, for: answer)
        talk.testbed.run { answer.isNotifying }
        let central = try #require(talk.ball.centrals.first)
        for latency in [CBPeripheralManagerConnectionLatency.high, .medium, .low] {
            talk.ball.manager.setDesiredConnectionLatency(latency, for: central)
            talk.testbed.run(.seconds(5))
        }
        peripheral.writeValue("Still there?".octets, for: question, type: .withResponse)
        #expect(talk.testbed.run { talk.central.calls.last == "wrote" })
    }
}
