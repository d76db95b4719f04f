// The central of the SDK beyond one conversation: a search that was put off when the adapter goes away, the list of
// balls at each loss, time limits of questions, devices whose attributes are not known, and several observers at once.

import CoreBluetooth
import Fixtures
import Foundation
import NIOCore
import Testbed
import Testing

@testable @_spi(Steps) import ITCB

@Suite("Losses and limits of the SDK's central")
struct CentralLossesTests {
    private typealias Stage = ITCB_SDK_Device_Peripheral._Stage

    /// An observer that notes what it is called, and does something when a question is confirmed.
    private final class Witness: ITCB_Observer_Central_Protocol, ITCB_Observer_Peripheral_Protocol {
        var uuid = UUID()
        var calls: [String] = []
        var onConfirmation: ((ITCB_SDK_Device_Peripheral) -> Void)?

        func errorOccurred(_ error: ITCB_Errors, sdk: any ITCB_SDK_Protocol) { calls.append(words(error)) }
        func deviceDiscovered(_ device: any ITCB_Device_Peripheral_Protocol) { calls.append("found") }
        func questionAskedOfDevice(_ device: any ITCB_Device_Peripheral_Protocol) {
            calls.append("confirmed")
            if let device = device as? ITCB_SDK_Device_Peripheral { onConfirmation?(device) }
        }
        func questionAnsweredByDevice(_ device: any ITCB_Device_Peripheral_Protocol) { calls.append("answered") }
        func questionAskedByDevice(_ device: any ITCB_Device_Central_Protocol, question: String) {
            calls.append("asked \(question)")
        }
        func answerSentToDevice(_ device: any ITCB_Device_Central_Protocol, answer: String, toQuestion: String) {
            calls.append("sent to \(toQuestion)")
        }
    }

    /// A ball that is heard and not connected to, and the SDK's object of its peripheral.
    private func heardBall() throws -> (testbed: Testbed, ball: Ball, central: Asker, peripheral: CBPeripheral) {
        let testbed = Testbed()
        let ball = testbed.ball("Far", distance: 20)
        let adapter = testbed.adapter()
        let central = Asker(in: testbed, on: adapter)
        let helper = ForeignCentral(on: adapter)
        #expect(testbed.run { helper.peripheral != nil })
        let peripheral = try central.peripheral(foundBy: helper)
        return (testbed, ball, central, peripheral)
    }

    // MARK: Searches

    @Test("A search that was put off is called off when the adapter goes away; a later one takes its own time")
    func calledOffSearch() throws {
        let scene = try DeviceScene()
        let sdk = scene.central.sdk
        func scans() -> Int { scene.steps.count { $0 == .scanning } }
        sdk._scan(after: 5)
        scene.testbed.run(.seconds(1))
        sdk._loseAllDevices()
        #expect(sdk._rescan == nil)
        scene.testbed.run(.seconds(6))
        #expect(scans() == 0)
        sdk._scan(after: 5)
        scene.testbed.run(.milliseconds(4_999))
        #expect(scans() == 0)
        scene.testbed.run(.milliseconds(1))
        #expect(scans() == 1 && sdk._rescan == nil)
    }

    @Test("An observer that hears of a ball that is lost with the adapter finds no ball on the list any more")
    func listAtTheLoss() {
        let testbed = Testbed()
        let balls = (1...3).map { testbed.ball("Ball \($0)") }
        let central = testbed.central()
        #expect(testbed.run { central.found.count == balls.count })
        let sdk = central.sdk
        var counts: [Int] = []
        central.onStep = { if case .lost = $0 { counts.append(sdk.devices.count) } }
        sdk._loseAllDevices()
        central.onStep = nil
        #expect(counts == [0, 0, 0])
        #expect(central.errors == Array(repeating: "coreBluetooth.deviceOffline", count: 3))
    }

    @Test("Of the balls that are being left, the one whose link is gone, or will not be, is left no more")
    func leftBalls() throws {
        let scene = try DeviceScene()
        let other = try DeviceScene()
        let sdk = scene.central.sdk
        let manager = try #require(sdk.centralManagerInstance)
        sdk._remove(scene.device)
        sdk._leaving = [other.device, scene.device]
        sdk.centralManager(manager, didFailToConnect: scene.device._peripheral, error: nil)
        #expect(sdk._leaving.count == 1 && sdk._leaving.first === other.device && sdk._rescan == nil)
        sdk._leaving = [other.device, scene.device]
        sdk.centralManager(manager, didDisconnectPeripheral: scene.device._peripheral, error: nil)
        #expect(sdk._leaving.count == 1 && sdk._leaving.first === other.device)
        #expect(sdk._rescan != nil && scene.central.errors.isEmpty && scene.steps.isEmpty)
        scene.testbed.run(.milliseconds(999))
        #expect(!scene.steps.contains(.scanning))
        scene.testbed.run(.milliseconds(1))
        #expect(scene.steps.contains(.scanning))
    }

    @Test("The name that a ball advertises counts before the one by which the system knows it")
    func advertisedName() throws {
        let (testbed, ball, central, peripheral) = try self.heardBall()
        let manager = try #require(central.sdk.centralManagerInstance)
        testbed.run(.seconds(1))
        #expect(peripheral.name != nil && peripheral.name != "Else")
        let data = [CBAdvertisementDataLocalNameKey: "Else"]
        central.sdk.centralManager(manager, didDiscover: peripheral, advertisementData: data, rssi: -40)
        #expect(central.sdk.devices.map(\.name) == ["Else"])
        #expect(central.steps.contains(.connecting(name: "Else")))
        withExtendedLifetime(ball) {}
    }

    // MARK: Questions

    @Test(
        "A question has the limit that is set, also while it waits for the end of the notifications",
        arguments: [2, 5] as [Int64]
    )
    func answerTimeLimit(seconds: Int64) throws {
        for waits in [false, true] {
            let scene = try DeviceScene()
            #expect(scene.central.sdk.answerTimeLimit == 2)
            scene.central.sdk.answerTimeLimit = TimeInterval(seconds)
            scene.device._stage = waits ? .unsubscribing(next: nil) : .idle
            scene.device.sendQuestion("Q?")
            scene.testbed.run(.milliseconds(seconds * 1_000 - 1))
            #expect(scene.central.errors.isEmpty)
            scene.testbed.run(.milliseconds(1))
            #expect(scene.central.errors == ["sendFailed.deviceOffline"])
            #expect(scene.central.sdk.devices.isEmpty == waits)
        }
    }

    @Test("A conversation with a device whose attributes are not known ends at once, and nothing is awaited any more")
    func withoutAttributes() throws {
        let (testbed, ball, central, peripheral) = try self.heardBall()
        let waiting = Stage.awaitingAnswer(question: "Q?")
        let offline = ["sendFailed.deviceOffline"]
        typealias Row = (stage: Stage, call: (ITCB_SDK_Device_Peripheral) -> Void, errors: [String])
        let rows: [Row] = [
            (.idle, { $0.sendQuestion("Q?") }, offline), (waiting, { $0._ask("Q?") }, offline),
            (waiting, { $0._write("Q?") }, offline), (waiting, { $0._stopNotifications() }, []),
        ]
        for row in rows {
            central.errors = []
            let device = ITCB_SDK_Device_Peripheral(peripheral, name: "Far", owner: central.sdk)
            #expect(device._questionCharacteristic == nil && device._answerCharacteristic == nil)
            device._startTimeout(60)
            device._stage = row.stage
            row.call(device)
            #expect(central.errors == row.errors)
            #expect("\(device._stage)" == "idle")
            #expect((device._timeoutTimer == nil) == (row.errors == offline))
        }
        withExtendedLifetime((testbed, ball)) {}
    }

    @Test("An answer that was early is none where an observer cancels the connection when the question is confirmed")
    func cancelledAtTheConfirmation() throws {
        let scene = try DeviceScene()
        let sdk = scene.central.sdk
        let witness = Witness()
        witness.onConfirmation = { [unowned sdk] in sdk._cancelConnection($0, because: .unknown(nil)) }
        sdk.addObserver(witness)
        let question = try #require(scene.device._questionCharacteristic)
        scene.device._stage = .writing(question: "Q?", answer: "A")
        scene.device.peripheral(scene.device._peripheral, didWriteValueFor: question, error: nil)
        #expect(scene.stage == "ended" && scene.device.answer == nil && scene.central.answers.isEmpty)
        #expect(witness.calls == ["confirmed", "unknown.nil"])
    }

    // MARK: Observers

    @Test("Every observer is called, on both sides")
    func observers() {
        let testbed = Testbed()
        let ball = testbed.ball("Crystal")
        let central = testbed.central()
        let (asking, answering) = ([Witness(), Witness()], [Witness(), Witness()])
        asking.forEach { central.sdk.addObserver($0) }
        answering.forEach { ball.sdk.addObserver($0) }
        central.onFound = { $0.sendQuestion("Rain?") }
        #expect(testbed.run { central.answered.count == 1 })
        central.found[0].rejectConnectionBecause(.deviceBusy)
        for witness in asking {
            #expect(witness.calls == ["found", "confirmed", "answered", "coreBluetooth.deviceBusy"])
        }
        for witness in answering { #expect(witness.calls == ["asked Rain?", "sent to Rain?"]) }
    }
}
