// A room of devices in one process and in virtual time: an air on an embedded event loop, balls and centrals made of the
// SDK, and devices made of Core Bluetooth alone that do what the SDK never would.

import BluetoothAir
import CoreBluetooth
import Foundation
import NIOCore
import NIOEmbedded

@testable @_spi(Steps) import ITCB

/// A room with an air of its own.
final class Room {
    let loop = EmbeddedEventLoop()
    let air: Air
    private let seed: UInt64
    private var balls: UInt64 = 0
    private var adapters = 0

    init(model: AirModel = .instant, seed: UInt64 = 1) {
        self.seed = seed
        air = Air(eventLoop: loop, model: model, seed: seed)
    }

    /// A ball with a name.
    func ball(_ name: String, distance: Double? = nil, capture: String? = nil) -> Ball {
        balls += 1
        return Ball(name, in: self, on: adapter(distance: distance, capture: capture), seed: seed &+ balls)
    }

    /// Somebody who asks.
    func central(distance: Double? = nil, capture: String? = nil) -> Asker {
        Asker(in: self, on: adapter(distance: distance, capture: capture))
    }

    /// A controller with nobody's SDK on it.
    func adapter(distance: Double? = nil, capture: String? = nil) -> BluetoothAdapter {
        adapters += 1
        // A name of its own decides the address: the same room has the same addresses in every run.
        return BluetoothAdapter(
            air: air,
            configuration: .init(identity: "device \(adapters)", distance: distance, captureFile: capture)
        )
    }

    /// Lets time pass until something is true; false where it did not come true in time.
    @discardableResult
    func run(_ limit: TimeAmount = .seconds(30), until condition: () -> Bool) -> Bool {
        let end = loop.now + limit
        loop.run()
        while !condition() {
            guard loop.now < end else { return false }
            loop.advanceTime(by: .milliseconds(5))
        }
        return true
    }

    /// Lets time pass.
    func pass(_ time: TimeAmount) {
        loop.run()
        loop.advanceTime(by: time)
    }
}

/// The SDK's timers, on the room's clock.
final class RoomScheduler: ITCB_SDK_Scheduler {
    private final class Work: ITCB_SDK_ScheduledWork {
        let task: Scheduled<Void>
        init(_ task: Scheduled<Void>) { self.task = task }
        func cancel() { task.cancel() }
    }

    private let loop: EmbeddedEventLoop

    init(_ loop: EmbeddedEventLoop) { self.loop = loop }

    func schedule(after seconds: TimeInterval, _ work: @escaping () -> Void) -> ITCB_SDK_ScheduledWork {
        let bound = NIOLoopBound(work, eventLoop: loop)
        return Work(loop.scheduleTask(in: .milliseconds(Int64(seconds * 1000))) { bound.value() })
    }
}

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

/// One who asks, and what came of it.
final class Asker: ITCB_Observer_Central_Protocol {
    let adapter: BluetoothAdapter
    let sdk: ITCB_SDK_Central
    var uuid = UUID()
    /// The balls that were found ready, in order; one that came back is there twice.
    var found: [any ITCB_Device_Peripheral_Protocol] = []
    /// The questions that were confirmed.
    var asked: [String] = []
    /// Question and answer.
    var answered: [String] = []
    /// The answer's key alone.
    var answers: [String] = []
    var errors: [String] = []
    var steps: [ITCB_SDK_Step] = []
    var onFound: ((any ITCB_Device_Peripheral_Protocol) -> Void)?
    var onAnswer: ((any ITCB_Device_Peripheral_Protocol) -> Void)?
    var onStep: ((ITCB_SDK_Step) -> Void)?

    init(in room: Room, on adapter: BluetoothAdapter) {
        self.adapter = adapter
        sdk = adapter.run { ITCB_SDK_Central() }
        sdk._scheduler = RoomScheduler(room.loop)
        sdk.addObserver(self)
        sdk.stepObserver = { [unowned self] in
            self.steps.append($0)
            self.onStep?($0)
        }
    }

    /// The ball with a name, where it is here and ready.
    func device(_ name: String) -> ITCB_SDK_Device_Peripheral? {
        sdk.devices.lazy.compactMap { $0 as? ITCB_SDK_Device_Peripheral }.first { $0.name == name && $0._isReady }
    }

    /// The balls that are here and ready.
    var ready: [String] {
        sdk.devices.compactMap { $0 as? ITCB_SDK_Device_Peripheral }.filter(\._isReady).map(\.name)
    }

    func errorOccurred(_ error: ITCB_Errors, sdk: any ITCB_SDK_Protocol) { errors.append(words(error)) }
    func questionAskedOfDevice(_ device: any ITCB_Device_Peripheral_Protocol) { asked.append(device.question ?? "nil") }
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

/// A ball, and what came of it.
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

    init(_ name: String, in room: Room, on adapter: BluetoothAdapter, seed: UInt64) {
        self.adapter = adapter
        sdk = adapter.run { ITCB_SDK_Peripheral() }
        sdk.localName = name
        sdk._scheduler = RoomScheduler(room.loop)
        sdk._generator = SeededAnswers(state: seed)
        sdk.addObserver(self)
        sdk.stepObserver = { [unowned self] in
            self.steps.append($0)
            self.onStep?($0)
        }
    }

    func errorOccurred(_ error: ITCB_Errors, sdk: any ITCB_SDK_Protocol) { errors.append(words(error)) }
    func questionAskedByDevice(_ device: any ITCB_Device_Central_Protocol, question: String) {
        asked.append(question)
        onAsked?(device, question)
    }
    func answerSentToDevice(_ device: any ITCB_Device_Central_Protocol, answer: String, toQuestion: String) {
        answered.append("\(toQuestion) \(answer)")
    }
}

/// Answers that are the same in every run.
struct SeededAnswers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 31)
    }
}
