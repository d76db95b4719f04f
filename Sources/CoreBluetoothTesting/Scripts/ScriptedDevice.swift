// Plays a scripted peripheral: a Bluetooth host without an app on a controller of the world.

import BluetoothAir
import BluetoothHCI
import BluetoothHost
import BluetoothTypes
public import CoreBluetooth
import NIOCore

/// A device that follows a script.
public final class ScriptedDevice: Radio {
    /// A write that the device has taken or refused.
    public struct Write: Equatable {
        /// The characteristic.
        public var characteristic: CBUUID
        /// What was written.
        public var value: Data

        /// A write.
        public init(characteristic: CBUUID, value: Data) {
            self.characteristic = characteristic
            self.value = value
        }
    }

    /// What it follows.
    public let script: ScriptedPeripheral
    /// All that was written, in order.
    public internal(set) var writes: [Write] = []
    /// How many notifications and indications were sent.
    public internal(set) var updateCount = 0
    /// The L2CAP channels that centrals have opened, in order.
    public internal(set) var channels: [ScriptedChannel] = []
    var player: ScriptPlayer! = nil
    /// Where the script of the present services was made.
    private var caller: ScriptedPeripheral.Caller

    init(_ script: ScriptedPeripheral, name: String, model: ControllerModel, location: AirLocation, world: World) {
        self.script = script
        self.caller = script.caller
        super.init(name: name, model: model, location: location, world: world)
        if script.refusesConnections { self.refusesConnections = true }
        for line in script.unseen { self.note(line) }
        self.check(script.services)
        self.player = ScriptPlayer(self)
        self.player.attach(self.makeChannel())
    }

    override func leave() { self.player.detach() }

    override func powerChanged() {
        if self.isPowered { self.player.attach(self.makeChannel()) } else { self.player.detach() }
    }

    /// The controller fails and comes back; the script begins anew.
    public override func resetController() {
        super.resetController()
        self.player.detach()
        if self.isPowered { self.player.attach(self.makeChannel()) }
    }

    // MARK: What a test does with it

    /// The present value of a characteristic; `nil` where there is none with that UUID.
    public func value(of characteristic: CBUUID) -> Data? { self.player.value(of: characteristic) }

    /// Changes the value of a characteristic without a notification.
    ///
    /// Where the device has no such characteristic, the next `run(until:within:)` of the world throws a ``WorldError``
    /// that names the line of this call.
    public func setValue(
        _ value: Data,
        of characteristic: CBUUID,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        guard self.mayHave(value, characteristic, file, line) else { return }
        if !self.player.setValue(value, of: characteristic) { self.reportMissing(characteristic, file, line) }
    }

    /// Sends a value to all subscribers, as a notification or an indication; it becomes the characteristic's value.
    ///
    /// Where the device has no such characteristic, the next `run(until:within:)` of the world throws a ``WorldError``
    /// that names the line of this call. That nobody is subscribed stands in the trace.
    ///
    /// - Returns: How many centrals are subscribed.
    @discardableResult
    public func notify(
        _ value: Data,
        for characteristic: CBUUID,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Int {
        guard self.mayHave(value, characteristic, file, line) else { return 0 }
        if let definition = self.player.definition(of: characteristic),
            definition.properties.isDisjoint(with: [.notify, .indicate])
        {
            self.reportMistake(
                "the characteristic \(characteristic.uuidString) has neither the property notify nor indicate",
                .init(file: file, line: line)
            )
            return 0
        }
        guard let count = self.player.notify(value, characteristic) else {
            self.reportMissing(characteristic, file, line)
            return 0
        }
        if count == 0 { self.note("notifies \(characteristic.uuidString), and nobody is subscribed") }
        return count
    }

    /// Sends a value of the characteristic with the UUID that `characteristic` spells to all subscribers.
    ///
    /// - Returns: How many centrals are subscribed.
    @discardableResult
    public func notify(
        _ value: Data,
        for characteristic: String,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Int {
        self.notify(value, for: CBUUID(string: characteristic), file: file, line: line)
    }

    /// Whether a value has a length that an attribute can have.
    private func mayHave(_ value: Data, _ characteristic: CBUUID, _ file: StaticString, _ line: UInt) -> Bool {
        guard let text = ScriptedPeripheral.lengthMistake(value, characteristic) else { return true }
        self.reportMistake(text, .init(file: file, line: line))
        return false
    }

    /// Reports a mistake in the script, which the world throws with the line where the script was made, or another one.
    func reportMistake(_ text: String, _ caller: ScriptedPeripheral.Caller? = nil) {
        let text = "\"\(self.name)\": \(text)"
        self.note(text)
        self.world.reportMistake((caller ?? self.caller).text(text))
    }

    private func check(_ services: [ScriptedPeripheral.Service]) {
        let mistakes = ScriptedPeripheral.mistakes(in: services)
        if !mistakes.isEmpty { self.reportMistake(mistakes.joined(separator: "; ")) }
    }

    private func reportMissing(_ characteristic: CBUUID, _ file: StaticString, _ line: UInt) {
        let uuids = self.player.characteristics.map(\.uuidString).joined(separator: ", ")
        let text = "\"\(self.name)\" has no characteristic \(characteristic.uuidString); it has \(uuids)"
        self.note(text)
        self.world.reportMistake("\(file):\(line): \(text)")
    }

    /// Does something later, in the world's time: what a closure of the script does behind its answer.
    public func after(_ delay: Duration, _ work: @escaping () -> Void) { self.world.after(delay, work) }

    /// Whether a central is subscribed to a characteristic.
    public func hasSubscriber(for characteristic: CBUUID) -> Bool { self.player.hasSubscriber(characteristic) }

    /// Ends all links: centrals get `CBError.Code.peripheralDisconnected`.
    public func disconnect() {
        self.note("disconnects")
        self.player.disconnect()
    }

    /// With how many devices it has paired and keeps the keys.
    public var bondCount: Int { self.player.bonds.count }

    /// Loses the keys of all pairings, as a peripheral that was reset to its factory settings.
    ///
    /// A central that has paired with it gets `CBError.Code.peerRemovedPairingInformation` with its next connection.
    public func forgetBonds() {
        self.note("forgets the keys of its pairings")
        self.player.bonds = [:]
    }

    /// Whether the device advertises.
    public var isAdvertising: Bool = true {
        didSet { if self.isAdvertising != oldValue { self.player.updateAdvertising() } }
    }

    /// Publishes the services of another script in place of the present ones; centrals are notified that services
    /// changed.
    ///
    /// A mistake in them is reported at the line of this call.
    public func publish(
        _ services: [ScriptedPeripheral.Service],
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.note("publishes other services")
        self.caller = .init(file: file, line: line)
        self.check(services)
        self.player.publish(services)
    }
}
