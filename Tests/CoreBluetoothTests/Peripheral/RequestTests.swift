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
        _ = try talk.subscribe()
        #expect(talk.ball.calls.last == "subscribed 1")
        if removes { talk.ball.manager.removeAllServices() } else { talk.ball.manager.adapter.setPowered(false) }
        talk.testbed.run(.seconds(60))
        #expect(!talk.ball.calls.contains { $0.hasPrefix("unsubscribed") })
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
        let central = testbed.central(on: source.adapter("Curious", testbed))
        let ball = testbed.ball(on: testbed.adapter("Crystal"))
        ball.open()
        try central.connect(in: testbed).subscribeToAnswer(in: testbed)
        testbed.run(.seconds(1))
        ball.manager.setDesiredConnectionLatency(latency, for: ball.centrals[0])
        #expect(testbed.run { !intervals.isEmpty })
        #expect(intervals.allSatisfy(milliseconds.contains))
        #expect(central.found[0].state == .connected)
    }
}
