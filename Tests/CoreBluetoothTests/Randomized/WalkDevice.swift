// A device of a walk through the interface: an adapter whose controller may fail, storage that may fail, an app that
// goes through all states of its life, users who answer as chance has it.

import BluetoothAir
import BluetoothTransport
import Fixtures
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import Testbed

@testable import CoreBluetooth
@testable import CoreBluetoothTesting

/// Storage that fails while it is told to.
final class FailingStorage: StateStorage {
    struct Failure: Error {}

    let inner = MemoryStorage()
    let isFailing = NIOLockedValueBox(false)

    private func check() throws { if self.isFailing.withLockedValue({ $0 }) { throw Failure() } }

    var isImmediate: Bool { true }

    func read(_ name: String) throws -> Data? {
        try self.check()
        return try self.inner.read(name)
    }

    func write(_ data: Data, to name: String, _ durability: PrivateFile.Durability) throws {
        try self.check()
        try self.inner.write(data, to: name, durability)
    }

    func write(
        _ name: String,
        _ durability: PrivateFile.Durability,
        _ content: @escaping @Sendable () throws -> Data?
    ) throws {
        try self.check()
        try self.inner.write(name, durability, content)
    }

    func remove(_ name: String, _ durability: PrivateFile.Durability) throws {
        try self.check()
        self.inner.remove(name)
    }

    func setAside(_ name: String) throws -> String {
        try self.check()
        return self.inner.setAside(name)
    }

    func names(withPrefix prefix: String) throws -> [String] {
        try self.check()
        return self.inner.names(withPrefix: prefix)
    }

    func withLock<Result>(_ body: () throws -> Result) throws -> Result { try self.inner.withLock(body) }

    func claim(_ name: String) throws -> StateClaim? {
        try self.check()
        return self.inner.claim(name)
    }
}

/// A user who is asked while devices pair.
final class WalkUser: PairingAgent {
    private let name: String
    let capabilities: PairingCapabilities
    private let chance: NIOLockedValueBox<Chance>
    /// The digits that some device has shown last.
    private static let noDigits = "000000"
    private let shown: NIOLockedValueBox<String>

    init(_ name: String, _ capabilities: PairingCapabilities, seed: UInt64, shown: NIOLockedValueBox<String>) {
        self.name = name
        self.capabilities = capabilities
        self.chance = NIOLockedValueBox(Chance(seed: seed))
        self.shown = shown
    }

    func pairing(_ prompt: PairingPrompt) {
        RunRecord.note("\(self.name) is asked \(prompt.kind) of \(prompt.peer)")
        let choice = self.chance.withLockedValue { $0.below(8) }
        switch prompt.kind {
        case .showCode(let code): self.shown.withLockedValue { $0 = code }
        case .enterCode:
            guard choice > 0 else { return }
            prompt.enter(choice == 1 ? nil : choice == 2 ? Self.noDigits : self.shown.withLockedValue { $0 })
        case .compareCode, .pair: if choice > 0 { prompt.confirm(choice > 2) }
        }
    }

    func pairingEnded(with peer: PairingPeer, _ outcome: PairingOutcome) {
        RunRecord.note("\(self.name) has paired with \(peer): \(outcome)")
    }
}

/// One device of a walk.
final class WalkDevice: ApplicationDelegate {
    let name: String
    let testbed: Testbed
    let storage = FailingStorage()
    let application: Application
    private let configuration: BluetoothAdapter.Configuration
    private let identifiers: (central: String?, peripheral: String?)
    private(set) var source: BreakableSource
    private(set) var adapter: BluetoothAdapter
    private(set) var centrals: [WalkCentral] = []
    private(set) var publishers: [WalkPublisher] = []
    private var launchCount = 0
    /// How requests are answered.
    var choose: (Int) -> Int = { _ in 0 }

    init(
        _ name: String,
        in testbed: Testbed,
        _ configuration: BluetoothAdapter.Configuration,
        modes: BackgroundModes,
        isRestored: Bool
    ) {
        self.name = name
        self.testbed = testbed
        self.configuration = configuration
        self.identifiers = isRestored ? ("central", "peripheral") : (nil, nil)
        self.application = Application(name: name, modes: modes, eventLoop: testbed.loop)
        self.source = BreakableSource(air: testbed.air)
        self.adapter = BluetoothAdapter(
            eventLoop: testbed.loop,
            configuration: configuration,
            source: self.source,
            storage: self.storage
        )
        self.application.delegate = self
    }

    /// Launches the app, which makes two managers of each role.
    func launch(inBackground: Bool) {
        guard !self.application.exists else { return }
        self.launchCount += 1
        self.application.launch(inBackground: inBackground)
        self.application.run {
            for number in 0..<2 {
                var options: [String: Any] = [BluetoothAdapter.optionKey: self.adapter]
                let central = WalkCentral("\(self.name) C\(number) \(self.launchCount)")
                if number == 0 { options[CBCentralManagerOptionRestoreIdentifierKey] = self.identifiers.central }
                central.begin(options)
                self.centrals.append(central)
                let publisher = WalkPublisher("\(self.name) P\(number) \(self.launchCount)")
                if number == 0 { options[CBPeripheralManagerOptionRestoreIdentifierKey] = self.identifiers.peripheral }
                publisher.choose = { [weak self] in self?.choose($0) ?? 0 }
                publisher.begin(options)
                self.publishers.append(publisher)
            }
        }
    }

    /// Ends the app; the device goes on.
    func end(bySystem: Bool) {
        self.application.end(bySystem: bySystem)
        self.testbed.loop.run()
        self.centrals = []
        self.publishers = []
        self.testbed.loop.run()
    }

    /// Ends the process of the device, and begins the next one.
    func restart(byExit: Bool) {
        if byExit { self.adapter.shutDown(within: .seconds(1)) {} } else { self.adapter.kill() }
        self.testbed.loop.run()
        self.centrals = []
        self.publishers = []
        self.application.observer = nil
        self.application.end(bySystem: false)
        self.testbed.loop.run()
        self.source = BreakableSource(air: self.testbed.air)
        self.adapter = BluetoothAdapter(
            eventLoop: self.testbed.loop,
            configuration: self.configuration,
            source: self.source,
            storage: self.storage
        )
        self.launch(inBackground: false)
    }

    /// Ends everything.
    func stop() {
        self.adapter.kill()
        self.testbed.loop.run()
        self.centrals = []
        self.publishers = []
    }

    /// What is kept; tables have no order.
    func noteStorage() {
        for name in self.storage.inner.names.sorted() {
            let data = (try? self.storage.inner.read(name)) ?? nil
            let tokens = String(decoding: data ?? Data(), as: UTF8.self).split { "{}[], \n".contains($0) }
            RunRecord.note("\(self.name) keeps \(name) \(tokens.sorted().joined(separator: " "))")
        }
    }

    // MARK: ApplicationDelegate

    func applicationDidChangeState(_ application: Application) {
        RunRecord.note("\(self.name) is \(application.state)")
    }

    func applicationNeedsLaunch(_ application: Application) { RunRecord.note("\(self.name) is to be launched") }

    func application(_ application: Application, didShow alert: ConnectionAlert, about peripheral: String) {
        RunRecord.note("\(self.name) shows \(alert) about \(peripheral)")
    }
}
