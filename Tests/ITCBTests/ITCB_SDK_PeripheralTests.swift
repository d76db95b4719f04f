import BluetoothAir
import BluetoothHost
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth
@testable @_spi(Steps) import ITCB

@Suite("The ball")
struct ITCB_SDK_PeripheralTests {
    private let testbed = Testbed()

    @Test("answers when a central subscribes after its question")
    func lateSubscription() {
        let (ball, central) = testbed.pair()
        central.write("Subscribed?")
        #expect(testbed.run { central.writes == ["ok"] })
        #expect(ball.asked == ["Subscribed?"])
        testbed.run(.seconds(1))
        #expect(ball.answered.isEmpty)
        central.subscribe()
        #expect(testbed.run { central.notified.count == 1 })
        #expect(ball.answered == ["Subscribed? \(central.notified[0])"])
        #expect(ball.errors.isEmpty)
    }

    @Test("does not answer if an observer has answered")
    func ownAnswer() {
        let (ball, central) = testbed.pair()
        ball.onAsked = { $0.sendAnswer("SLUG-ANSWER-19", toQuestion: $1) }
        central.subscribe()
        central.write("Mine?")
        #expect(testbed.run { !central.notified.isEmpty })
        testbed.run(.seconds(1))
        #expect(central.notified == ["SLUG-ANSWER-19"])
        #expect(ball.answered == ["Mine? SLUG-ANSWER-19"])
    }

    /// Makes a ball answer a question repeatedly, faster than the air can carry it, until the flag is cleared.
    private func flood(_ ball: Ball) -> () -> Void {
        var device: (any ITCB_Device_Central_Protocol)?
        var count = 0
        ball.onAsked = { asking, question in
            device = asking
            for _ in 0..<500 {
                asking.sendAnswer("SLUG-ANSWER-\(count)", toQuestion: question)
                count += 1
            }
        }
        ball.onStep = { step in
            guard case .answerSent = step, let device else { return }
            device.sendAnswer("SLUG-ANSWER-\(count)", toQuestion: "Flood?")
            count += 1
        }
        return { device = nil }
    }

    @Test("refuses answers and questions as busy beyond 64 waiting answers")
    func overflow() {
        let testbed = Testbed(settings: .realistic)
        let (ball, central) = testbed.pair()
        let stop = flood(ball)
        central.subscribe()
        central.write("Flood?")
        central.write("More?")
        #expect(testbed.run { central.writes.count == 2 })
        #expect(central.writes == ["ok", "ATT17"])
        #expect(ball.asked == ["Flood?"])
        #expect(!ball.errors.isEmpty)
        #expect(ball.errors.allSatisfy { $0 == "sendFailed.deviceBusy" })
        #expect(ball.sdk._waitingAnswers.count <= ITCB_SDK_Peripheral._maximumWaitingAnswers)
        // Accepted answers are sent in order.
        stop()
        ball.onAsked = nil
        #expect(testbed.run { ball.sdk._waitingAnswers.isEmpty && central.notified.count == ball.answered.count })
        #expect(ball.answered == central.notified.map { "Flood? \($0)" })
        central.write("Now?")
        #expect(testbed.run { central.writes.count == 3 })
        #expect(central.writes.last == "ok")
    }

    /// Makes a ball answer the first central that asks, so that a number of its answers always wait.
    private func keepWaiting(_ count: Int, at ball: Ball) {
        var device: (any ITCB_Device_Central_Protocol)?
        func fill() {
            while let device, ball.sdk._waitingAnswers.count < count {
                device.sendAnswer("SLUG-ANSWER-00", toQuestion: "Fill?")
            }
        }
        ball.onAsked = { asking, _ in
            guard device == nil else { return }
            device = asking
            fill()
        }
        ball.onStep = { step in
            if case .answerSent = step { fill() }
        }
    }

    @Test("D3, D4: refuses a central whose answers wait, and every central while 64 wait", arguments: [63, 64])
    func busyCentral(count: Int) {
        let testbed = Testbed(settings: .realistic)
        let (ball, central) = testbed.pair()
        let other = ForeignCentral(on: testbed.adapter())
        #expect(testbed.run { other.isReady })
        keepWaiting(count, at: ball)
        central.subscribe()
        central.write("Fill?")
        central.write("More?")
        #expect(testbed.run { central.writes.count == 2 })
        #expect(central.writes == ["ok", "ATT17"] && ball.sdk._waitingAnswers.count == count)
        other.write("And I?")
        #expect(testbed.run { other.writes.count == 1 })
        #expect(other.writes == [count == 63 ? "ok" : "ATT17"])
        #expect(ball.asked == (count == 63 ? ["Fill?", "And I?"] : ["Fill?"]) && ball.errors.isEmpty)
    }

    @Test("stops notifying a central that unsubscribes, and answers it when it subscribes again")
    func unsubscribe() {
        let (ball, central) = testbed.pair()
        central.subscribe()
        central.write("One?")
        #expect(testbed.run { central.notified.count == 1 })
        central.subscribe(false)
        #expect(testbed.run { !central.isSubscribed })
        #expect(ball.steps.contains { if case .unsubscribed = $0 { true } else { false } })
        central.write("Two?")
        #expect(testbed.run { central.writes.count == 2 })
        testbed.run(.seconds(1))
        #expect(central.notified.count == 1)
        central.subscribe()
        #expect(testbed.run { central.notified.count == 2 })
        #expect(ball.answered.count == 2)
        #expect(ball.errors.isEmpty)
    }

    @Test("reports a central that leaves while answers wait for it")
    func leaving() {
        let testbed = Testbed(settings: .realistic)
        let (ball, central) = testbed.pair()
        let stop = flood(ball)
        central.subscribe()
        central.write("Bye?")
        #expect(testbed.run { central.writes.count == 1 })
        #expect(!ball.sdk._waitingAnswers.isEmpty)
        ball.errors.removeAll()
        if let peripheral = central.peripheral { central.manager.cancelPeripheralConnection(peripheral) }
        #expect(testbed.run { ball.sdk._waitingAnswers.isEmpty })
        stop()
        #expect(ball.errors == ["sendFailed.deviceOffline"])
        // The next one is answered.
        let asker = testbed.central()
        ball.onAsked = nil
        asker.onFound = { $0.sendQuestion("And I?") }
        #expect(testbed.run { asker.answered.count == 1 })
    }

    @Test("gives each of the twenty answers")
    func twentyAnswers() {
        let ball = testbed.ball("Crystal")
        var seen: Set<String> = []
        for _ in 0..<1000 { seen.insert(ball.sdk._randomAnswer()) }
        #expect(seen == Set((0..<20).map { "SLUG-ANSWER-" + ($0 < 10 ? "0\($0)" : "\($0)") }))
    }

    /// A ball that advertises, and its manager.
    private func ball() throws -> (ball: Ball, manager: CBPeripheralManager) {
        let ball = self.testbed.ball("Crystal")
        #expect(self.testbed.run { ball.steps.contains(.advertising(name: "Crystal")) })
        ball.steps = []
        return (ball, try #require(ball.sdk.peripheralManagerInstance))
    }

    @Test("reports a service or an advertisement that the system refuses")
    func systemErrors() throws {
        let (ball, manager) = try self.ball()
        let service = ITCB_SDK_Peripheral._makeService()
        ball.sdk.peripheralManager(manager, didAdd: service, error: CBError(.connectionTimeout))
        #expect(ball.errors == ["coreBluetooth.CB6"] && ball.steps.isEmpty)
        ball.sdk.peripheralManagerDidStartAdvertising(manager, error: CBATTError(.unlikelyError))
        #expect(ball.errors == ["coreBluetooth.CB6", "coreBluetooth.ATT14"] && ball.steps.isEmpty)
        #expect(words(ball.sdk.error) == "coreBluetooth.ATT14")
        ball.sdk.peripheralManager(manager, didAdd: service, error: nil)
        ball.sdk.peripheralManagerDidStartAdvertising(manager, error: nil)
        #expect(ball.steps == [.serviceAdded, .advertising(name: "Crystal")] && ball.errors.count == 2)
    }

    @Test("knows a central that subscribes to the answer only")
    func subscriptions() throws {
        let (ball, manager) = try self.ball()
        let characteristics = try #require(ITCB_SDK_Peripheral._makeService().characteristics)
        let identifier = try #require(UUID(uuidString: "00000000-0000-0000-0000-00000000000A"))
        let central = CBCentral(identifier: identifier, lock: ObjectLock())
        let name = identifier.uuidString
        ball.sdk.peripheralManager(manager, central: central, didSubscribeTo: characteristics[0])
        #expect(ball.steps.isEmpty && ball.sdk.central == nil)
        ball.sdk.peripheralManager(manager, central: central, didSubscribeTo: characteristics[1])
        #expect(ball.steps == [.subscribed(central: name)] && ball.sdk.central?.uuid == name)
        ball.sdk.peripheralManager(manager, central: central, didUnsubscribeFrom: characteristics[0])
        #expect(ball.steps.count == 1)
        ball.sdk.peripheralManager(manager, central: central, didUnsubscribeFrom: characteristics[1])
        #expect(ball.steps.last == .unsubscribed(central: name) && ball.errors.isEmpty)
    }

    @Test("advertises a changed name while it is advertising")
    func name() throws {
        let (ball, manager) = try self.ball()
        ball.sdk.localName = "Crystal"
        self.testbed.run(.seconds(1))
        #expect(ball.steps.isEmpty && manager.isAdvertising)
        ball.sdk.localName = "Onyx"
        self.testbed.run(.seconds(1))
        #expect(ball.steps == [.advertising(name: "Onyx")] && manager.isAdvertising)
        manager.stopAdvertising()
        self.testbed.run(.seconds(1))
        ball.sdk.localName = "Opal"
        self.testbed.run(.seconds(1))
        #expect(ball.steps.count == 1 && !manager.isAdvertising)
    }

    @Test("reports an open question before the adapter's own error")
    func adapterLost() {
        let (ball, central) = self.testbed.pair(answersByHand: true)
        central.subscribe()
        central.write("Who?")
        #expect(self.testbed.run { central.writes == ["ok"] })
        ball.adapter.setPowered(false)
        #expect(self.testbed.run { ball.errors.contains("coreBluetooth.nil") })
        #expect(ball.errors == ["sendFailed.deviceOffline", "coreBluetooth.nil"])
        #expect(ball.sdk._centrals.isEmpty && ball.sdk.central == nil)
    }

    @Test("publishes and advertises again when the adapter is back on")
    func onAgain() throws {
        let ball = self.testbed.ball("Crystal")
        #expect(self.testbed.run { ball.steps.contains(.advertising(name: "Crystal")) })
        ball.steps = []
        let manager = try #require(ball.sdk.peripheralManagerInstance)
        ball.sdk.peripheralManagerDidUpdateState(manager)
        self.testbed.run(.seconds(1))
        #expect(
            ball.steps == [
                .stateChanged(.poweredOn), .serviceAdded, .advertising(name: "Crystal"),
            ]
        )
        #expect(ball.errors.isEmpty && manager.isAdvertising)
        let central = self.testbed.central()
        #expect(self.testbed.run { central.ready == ["Crystal"] })
        #expect(central.steps.contains(.discoveredServices(count: 1)))
        central.found[0].sendQuestion("Rain?")
        #expect(self.testbed.run { central.answered.count == 1 && ball.asked == ["Rain?"] })
    }
}
