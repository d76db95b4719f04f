// A device that follows a script: a Bluetooth host without an app on a controller of the world.

import BluetoothAir
import BluetoothHCI
import BluetoothHost
import BluetoothTypes
public import CoreBluetooth
import NIOCore

/// A device that follows a script.
public final class ScriptedDevice: Radio {
    /// A write that the device has accepted or rejected.
    public struct Write: Equatable {
        /// The characteristic.
        public var characteristic: CBUUID
        /// The written value.
        public var value: Data
        /// Whether the central has asked for a response.
        public var type: CBCharacteristicWriteType

        /// Creates a write.
        public init(characteristic: CBUUID, value: Data, type: CBCharacteristicWriteType = .withResponse) {
            self.characteristic = characteristic
            self.value = value
            self.type = type
        }
    }

    /// The script that it follows.
    public private(set) var script: ScriptedPeripheral
    /// All writes in order.
    public internal(set) var writes: [Write] = []
    /// The number of sent notifications and indications.
    public internal(set) var updateCount = 0
    /// The L2CAP channels that centrals have opened, in order.
    public internal(set) var channels: [ScriptedChannel] = []
    var player: ScriptPlayer! = nil
    /// Where the present services were defined.
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

    /// Makes the controller fail and recover; all links end.
    public override func resetController() {
        super.resetController()
        self.player.detach()
        if self.isPowered { self.player.attach(self.makeChannel()) }
    }

    // MARK: Use by tests

    /// The present value of a characteristic; `nil` if there is none with that UUID.
    public func value(of characteristic: some CBUUIDConvertible) -> Data? {
        self.player.value(of: characteristic.cbUUID)
    }

    /// Changes the value of a characteristic without a notification.
    ///
    /// If the device has no such characteristic, the next `run(until:within:)` of the world throws a ``WorldError``
    /// that names the line of this call.
    public func setValue(
        _ value: Data,
        of characteristic: some CBUUIDConvertible,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        let characteristic = characteristic.cbUUID
        guard self.mayHave(value, characteristic, file, line) else { return }
        if !self.player.setValue(value, of: characteristic) { self.reportMissing(characteristic, file, line) }
    }

    /// Sends a value to all subscribers, as a notification or an indication; it becomes the characteristic's value.
    ///
    /// If the device has no such characteristic, the next `run(until:within:)` of the world throws a ``WorldError``
    /// that names the line of this call. If nobody is subscribed, the trace and the error of the
    /// next wait that fails say so.
    ///
    /// - Returns: The number of subscribed centrals.
    @discardableResult
    public func notify(
        _ value: Data,
        for characteristic: some CBUUIDConvertible,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Int {
        let characteristic = characteristic.cbUUID
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
        self.world.unheardValue = nil
        if count == 0 {
            self.note("notifies \(characteristic.uuidString), and nobody is subscribed")
            self.world.unheardValue = """
                nobody was subscribed to \(characteristic.uuidString) when "\(self.name)" notified it at \(file):\(line)
                """
        }
        return count
    }

    /// Whether the length of a value is valid; reports a mistake if not.
    private func mayHave(_ value: Data, _ characteristic: CBUUID, _ file: StaticString, _ line: UInt) -> Bool {
        guard let text = ScriptedPeripheral.lengthMistake(value, characteristic) else { return true }
        self.reportMistake(text, .init(file: file, line: line))
        return false
    }

    /// Reports a mistake in the script, which the world throws with the line where the script was created or `caller`.
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

    /// Runs code later, in the world's time: for closures of the script.
    public func after(_ delay: Duration, _ work: @escaping () -> Void) { self.world.after(delay, work) }

    /// Whether a central is subscribed to a characteristic.
    ///
    /// If the device has no such characteristic, the next `run(until:within:)` of the world, or the one whose condition
    /// this is, throws a ``WorldError`` that names the line of this call.
    public func hasSubscriber(
        for characteristic: some CBUUIDConvertible,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Bool {
        let characteristic = characteristic.cbUUID
        guard let hasSubscriber = self.player.hasSubscriber(characteristic) else {
            self.reportMissing(characteristic, file, line)
            return false
        }
        return hasSubscriber
    }

    /// Ends all links: centrals get `CBError.Code.peripheralDisconnected`.
    public func disconnect() {
        self.note("disconnects")
        self.player.disconnect()
    }

    /// The number of paired devices whose keys it stores.
    public var bondCount: Int { self.player.bonds.count }

    /// Deletes the keys of all pairings, like a peripheral that was reset to its factory settings.
    ///
    /// A paired central gets `CBError.Code.peerRemovedPairingInformation` with its next connection.
    public func forgetBonds() {
        self.note("forgets the keys of its pairings")
        self.player.bonds = [:]
    }

    /// Whether the device advertises.
    public var isAdvertising: Bool = true {
        didSet { if self.isAdvertising != oldValue { self.player.updateAdvertising() } }
    }

    /// The advertisement; a change takes effect immediately.
    public var advertisement: ScriptedPeripheral.Advertisement {
        get { self.script.advertisement }
        set {
            self.note("changes its advertisement")
            self.script.advertisement = newValue
            self.script.recordedAdvertisement = nil
            self.player.updateAdvertising()
        }
    }

    /// The advertised name, `nil` for none; a change takes effect immediately. The GAP Device Name does not change.
    public var advertisedName: String? {
        get { self.script.name }
        set {
            self.note("changes its name to \(newValue ?? "none")")
            self.script.name = newValue
            self.script.recordedAdvertisement = nil
            self.player.updateAdvertising()
        }
    }

    /// The error with which the device answers each discovery of services, characteristics and descriptors; `nil` to
    /// answer it from the script.
    public var discoveryError: CBATTError.Code? {
        didSet {
            self.note(self.discoveryError == nil ? "answers discoveries" : "refuses discoveries")
            self.player.host.discoveryError = self.discoveryError.map(ATTErrorCode.init)
        }
    }

    /// Asks all connected centrals for other connection parameters (Vol 3, Part A, 4.20).
    ///
    /// Invalid parameters are a mistake, which the next `run(until:within:)` throws with the line of this call.
    ///
    /// - Parameters:
    ///   - interval: The connection interval, 7.5 ms to 4 s in steps of 1.25 ms.
    ///   - latency: The number of connection events that the device may skip, 0 to 499.
    ///   - supervisionTimeout: The supervision timeout, 100 ms to 32 s in steps of 10 ms.
    ///   - file: The file of the call, for messages.
    ///   - line: The line of the call, for messages.
    public func requestConnectionParameters(
        interval: Duration,
        latency: Int = 0,
        supervisionTimeout: Duration = .seconds(5),
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        guard let connectionInterval = ConnectionInterval(exactly: TimeAmount(interval)),
            let timeout = SupervisionTimeout(exactly: TimeAmount(supervisionTimeout)),
            let latency = UInt16(exactly: latency),
            case let parameters = ConnectionParameters(
                minimumInterval: connectionInterval,
                maximumInterval: connectionInterval,
                latency: latency,
                supervisionTimeout: timeout
            ), parameters.isValid
        else {
            return self.reportMistake("it asks for invalid connection parameters", .init(file: file, line: line))
        }
        self.player.requestConnectionParameters(parameters)
    }

    /// Replaces the services; centrals are notified that services changed.
    ///
    /// Mistakes in them are reported at the line of this call.
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
