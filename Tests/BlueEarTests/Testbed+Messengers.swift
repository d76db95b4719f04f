// Both roles of the messenger on a testbed, with their timers on its clock.

import CoreBluetooth
import Foundation
import Testbed
import Testing

@testable import BlueEar

extension Testbed {
    /// A messenger in the peripheral role.
    func speaker(_ message: [String: String]? = ["Hello": "Darkness"], mtu: Int = 517) -> Speaker {
        Speaker(message, on: adapter(mtu: mtu))
    }

    /// A messenger in the central role.
    func listener(
        _ message: [String: String]? = ["Yo": "Lo"],
        mtu: Int = 517,
        _ prepare: (CentralRole.BluetoothManager) -> Void = { _ in }
    ) -> Listener {
        let listener = Listener(message, on: adapter(mtu: mtu), in: self)
        prepare(listener.manager)
        listener.scan()
        return listener
    }

    /// Messengers of both roles that have connected, and send nothing on their own.
    func conversation(mtu: Int = 517) -> (Speaker, Listener) {
        let speaker = self.speaker(nil, mtu: mtu)
        let listener = self.listener(nil) { $0.stays = true }
        #expect(self.run { listener.begun == 1 })
        return (speaker, listener)
    }
}

/// The messenger's timers, on the testbed's clock.
extension WorldScheduler: WorkScheduler {
    func schedule(after seconds: TimeInterval, _ work: @escaping () -> Void) -> ScheduledWork {
        postpone(work, by: seconds)
    }
}

extension WorldScheduler.Timer: ScheduledWork {}

/// A message, and the peer that it was exchanged with.
struct Exchanged: Equatable {
    let message: [String: String]
    let peer: UUID
}

/// A messenger in the peripheral role, and its reports.
final class Speaker: PeripheralRole.BlueEar, MessageObserver {
    let adapter: BluetoothAdapter
    private(set) var manager: PeripheralRole.BluetoothManager!
    /// The calls of the article's protocol, by name.
    var calls: [String] = []
    var received: [Exchanged] = []
    var sent: [Exchanged] = []
    var begun: [UUID] = []
    var ended: [UUID] = []
    var errors: [BlueEarError] = []
    var onCall: ((String) -> Void)?
    var onReceive: (([String: String], UUID) -> Void)?

    init(_ message: [String: String]?, on adapter: BluetoothAdapter, restoreIdentifier: String? = nil) {
        self.adapter = adapter
        manager = adapter.run {
            PeripheralRole.BluetoothManager(delegate: self, restoreIdentifier: restoreIdentifier)
        }
        manager.message = message
        manager.log = { [unowned self] in onCall?($0) }
    }

    private func called(_ name: String) {
        calls.append(name)
        onCall?(name)
    }

    func didStartConfiguration() { called("didStartConfiguration") }
    func didStartAdvertising() { called("didStartAdvertising") }
    func didSendData() { called("didSendData") }
    func didReceiveData() { called("didReceiveData") }
    func didReceive(_ message: [String: String], from peer: UUID) {
        received.append(Exchanged(message: message, peer: peer))
        onReceive?(message, peer)
    }
    func didSend(_ message: [String: String], to peer: UUID) {
        sent.append(Exchanged(message: message, peer: peer))
    }
    func didBegin(with peer: UUID) { begun.append(peer) }
    func didEnd(with peer: UUID) { ended.append(peer) }
    func didFail(_ error: BlueEarError, with peer: UUID?) { errors.append(error) }
}

/// A messenger in the central role, and its reports.
final class Listener: CentralRole.BlueEar, MessageObserver {
    let adapter: BluetoothAdapter
    let manager: CentralRole.BluetoothManager
    /// The calls of the article's protocol, by name.
    var calls: [String] = []
    var received: [[String: String]] = []
    var sent: [[String: String]] = []
    var begun = 0
    var ended = 0
    var isFinished = false
    var errors: [BlueEarError] = []
    var onCall: ((String) -> Void)?
    var onReceive: (([String: String]) -> Void)?

    convenience init(_ message: [String: String]?, on adapter: BluetoothAdapter, in testbed: Testbed) {
        self.init(message, on: adapter, scheduler: WorldScheduler(testbed.world))
    }

    init(_ message: [String: String]?, on adapter: BluetoothAdapter, scheduler: any WorkScheduler) {
        self.adapter = adapter
        manager = CentralRole.BluetoothManager()
        manager.message = message
        manager.scheduler = scheduler
        manager.blueEar = self
        manager.log = { [unowned self] in onCall?($0) }
    }

    /// Starts.
    func scan() { adapter.run { manager.scan() } }

    private func called(_ name: String) {
        calls.append(name)
        onCall?(name)
    }

    func didStartConfiguration() { called("didStartConfiguration") }
    func didStartScanningPeripherals() { called("didStartScanningPeripherals") }
    func didConnectPeripheral(name: String?) { called("didConnectPeripheral") }
    func didDisconnectPeripheral(name: String?) { called("didDisconnectPeripheral") }
    func didSendData() { called("didSendData") }
    func didReceiveData() { called("didReceiveData") }
    func didFailConnection() { called("didFailConnection") }
    func didReceive(_ message: [String: String], from peer: UUID) {
        received.append(message)
        onReceive?(message)
    }
    func didSend(_ message: [String: String], to peer: UUID) {
        sent.append(message)
    }
    func didBegin(with peer: UUID) { begun += 1 }
    func didEnd(with peer: UUID) { ended += 1 }
    func didFinish() { isFinished = true }
    func didFail(_ error: BlueEarError, with peer: UUID?) { errors.append(error) }
}

/// The same numbers in every run.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state &* 0x2545_F491_4F6C_DD1D
    }
}

/// A message whose property list has `length` octets, or a few less if that is impossible.
func message(of length: Int, _ generator: inout SeededNumbers) -> [String: String] {
    let alphabet = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 =\"<>&\n")
    func make(_ count: Int) -> [String: String] {
        ["k": String((0..<max(0, count)).map { _ in alphabet.randomElement(using: &generator)! })]
    }
    let overhead = (try? BlueEarService.length(of: make(length))).map { $0 - length } ?? 0
    return make(length - overhead)
}
