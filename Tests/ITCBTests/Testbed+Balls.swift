// The SDK's balls and centrals on a testbed, with their timers on its clock.

import CoreBluetooth
import Foundation
import Testbed
import Testing

@testable @_spi(Steps) import ITCB

extension Testbed {
    /// A ball with a name.
    func ball(_ name: String, distance: Double? = nil) -> Ball {
        let adapter = adapter(distance: distance)
        return Ball(name, in: self, on: adapter, seed: world.seed &+ UInt64(adapterCount))
    }

    /// A central that asks.
    func central(distance: Double? = nil) -> Asker {
        Asker(in: self, on: adapter(distance: distance))
    }

    /// A ball, and a central that has found it.
    func meeting() -> (Ball, Asker) {
        let (ball, central) = (self.ball("Crystal"), self.central())
        #expect(run { central.found.count == 1 })
        return (ball, central)
    }

    /// A ball and a foreign central that is ready to ask.
    func pair(answersByHand: Bool = false) -> (Ball, ForeignCentral) {
        let ball = self.ball("Crystal")
        ball.sdk.answersByHand = answersByHand
        let central = ForeignCentral(on: adapter())
        #expect(run { central.isReady })
        return (ball, central)
    }
}

/// The SDK's timers, on the testbed's clock.
extension WorldScheduler: ITCB_SDK_Scheduler {
    func schedule(after seconds: TimeInterval, _ work: @escaping () -> Void) -> ITCB_SDK_ScheduledWork {
        postpone(work, by: seconds)
    }
}

extension WorldScheduler.Timer: ITCB_SDK_ScheduledWork {}

/// An error as a path of its parts.
func words(_ error: (any Error)?) -> String {
    switch error {
    case nil:
        return "nil"
    case let error as ITCB_Errors:
        switch error {
        case .coreBluetooth(let inner): return "coreBluetooth." + words(inner)
        case .sendFailed(let inner): return "sendFailed." + words(inner)
        case .unknown(let inner): return "unknown." + words(inner)
        }
    case let reason as ITCB_RejectionReason:
        switch reason {
        case .deviceOffline: return "deviceOffline"
        case .deviceBusy: return "deviceBusy"
        case .questionPlease: return "questionPlease"
        case .peripheralError(let inner): return "peripheralError." + words(inner)
        case .unknown(let inner): return "unknown." + words(inner)
        }
    case let error as CBATTError:
        return "ATT\(error.code.rawValue)"
    case let error as CBError:
        return "CB\(error.code.rawValue)"
    case let error?:
        return "\(error)"
    }
}

/// A central that asks, and its observer's calls.
final class Asker: ITCB_Observer_Central_Protocol {
    let adapter: BluetoothAdapter
    let sdk: ITCB_SDK_Central
    var uuid = UUID()
    /// The balls that were reported as found, in order; one that came back is listed twice.
    var found: [any ITCB_Device_Peripheral_Protocol] = []
    /// The questions that were confirmed.
    var asked: [String] = []
    /// Question and answer.
    var answered: [String] = []
    /// Only the answer's key.
    var answers: [String] = []
    var errors: [String] = []
    var steps: [ITCB_SDK_Step] = []
    var onFound: ((any ITCB_Device_Peripheral_Protocol) -> Void)?
    var onAnswer: ((any ITCB_Device_Peripheral_Protocol) -> Void)?
    var onStep: ((ITCB_SDK_Step) -> Void)?

    convenience init(in testbed: Testbed, on adapter: BluetoothAdapter) {
        self.init(on: adapter, scheduler: WorldScheduler(testbed.world))
    }

    init(on adapter: BluetoothAdapter, scheduler: any ITCB_SDK_Scheduler) {
        self.adapter = adapter
        sdk = adapter.run { ITCB_SDK_Central() }
        sdk._scheduler = scheduler
        sdk.addObserver(self)
        sdk.stepObserver = { [unowned self] in
            self.steps.append($0)
            self.onStep?($0)
        }
    }

    /// The ready ball with a name.
    func device(_ name: String) -> ITCB_SDK_Device_Peripheral? {
        sdk.devices.lazy.compactMap { $0 as? ITCB_SDK_Device_Peripheral }.first { $0.name == name && $0._isReady }
    }

    /// The balls that are present and ready.
    var ready: [String] {
        sdk.devices.compactMap { $0 as? ITCB_SDK_Device_Peripheral }.filter(\._isReady).map(\.name)
    }

    /// The SDK's object of a ball that a foreign central at the same adapter has found.
    func peripheral(foundBy other: ForeignCentral) throws -> CBPeripheral {
        let manager = try #require(sdk.centralManagerInstance)
        let identifier = try #require(other.peripheral?.identifier)
        return try #require(manager.retrievePeripherals(withIdentifiers: [identifier]).first)
    }

    func errorOccurred(_ error: ITCB_Errors, sdk: any ITCB_SDK_Protocol) {
        errors.append(words(error))
    }
    func questionAskedOfDevice(_ device: any ITCB_Device_Peripheral_Protocol) {
        asked.append(device.question ?? "nil")
    }
    func questionAnsweredByDevice(_ device: any ITCB_Device_Peripheral_Protocol) {
        answers.append(device.answer ?? "nil")
        answered.append("\(device.question ?? "nil") \(device.answer ?? "nil")")
        onAnswer?(device)
    }
    func deviceDiscovered(_ device: any ITCB_Device_Peripheral_Protocol) {
        found.append(device)
        onFound?(device)
    }
}

extension ITCB_SDK_Device_Peripheral {
    /// Whether the ball can be asked, or is being asked.
    var _isReady: Bool {
        switch _stage {
        case .connecting, .discovering, .ended: return false
        case .idle, .subscribing, .writing, .awaitingAnswer, .unsubscribing: return true
        }
    }
}

/// A ball, and its observer's calls.
final class Ball: ITCB_Observer_Peripheral_Protocol {
    let adapter: BluetoothAdapter
    let sdk: ITCB_SDK_Peripheral
    var uuid = UUID()
    var asked: [String] = []
    /// Question and answer.
    var answered: [String] = []
    var errors: [String] = []
    var steps: [ITCB_SDK_Step] = []
    var onAsked: ((any ITCB_Device_Central_Protocol, String) -> Void)?
    var onStep: ((ITCB_SDK_Step) -> Void)?

    convenience init(_ name: String, in testbed: Testbed, on adapter: BluetoothAdapter, seed: UInt64) {
        self.init(name, on: adapter, scheduler: WorldScheduler(testbed.world), seed: seed)
    }

    init(_ name: String, on adapter: BluetoothAdapter, scheduler: any ITCB_SDK_Scheduler, seed: UInt64) {
        self.adapter = adapter
        sdk = adapter.run { ITCB_SDK_Peripheral() }
        sdk.localName = name
        sdk._scheduler = scheduler
        sdk._generator = SeededAnswers(state: seed)
        sdk.addObserver(self)
        sdk.stepObserver = { [unowned self] in
            self.steps.append($0)
            self.onStep?($0)
        }
    }

    func errorOccurred(_ error: ITCB_Errors, sdk: any ITCB_SDK_Protocol) {
        errors.append(words(error))
    }
    func questionAskedByDevice(_ device: any ITCB_Device_Central_Protocol, question: String) {
        asked.append(question)
        onAsked?(device, question)
    }
    func answerSentToDevice(_ device: any ITCB_Device_Central_Protocol, answer: String, toQuestion: String) {
        answered.append("\(toQuestion) \(answer)")
    }
}

/// The same answers in every run.
struct SeededAnswers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 31)
    }
}
