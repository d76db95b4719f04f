// The central of all commands: Core Bluetooth's delegate methods as closures, for events that repeat, and as
// async calls, for procedures with one answer. The commands use nothing else of Core Bluetooth.

import CommandLineTool
import CoreBluetooth
import Foundation

/// A central on the adapter of this process.
@MainActor
final class Central: NSObject {
    /// How long, in seconds, a peripheral may take to answer one request: ATT's own limit and a little more.
    var procedureTimeout: TimeInterval = 35

    /// The seconds for which other devices of the name are listened for after the first one, by the timestamps of
    /// discoveries, and the limit if nothing else is heard.
    var listeningTime: (heard: TimeInterval, limit: TimeInterval) = (0.5, 1)

    /// Called each time Bluetooth becomes ready.
    var onReady: (() -> Void)?
    /// Called with each report of a scan.
    var onDiscovery: ((CBPeripheral, ScannedDevice) -> Void)?
    /// Called with each notified value.
    var onValue: ((CBCharacteristic, Data) -> Void)?
    /// Called with each measured strength of the link, in dBm.
    var onStrength: ((Int) -> Void)?
    /// Called when the link to the peripheral in use has ended, with the reason.
    var onDisconnection: ((String) -> Void)?

    let output: OutputFormat
    let pairing: ProgramPairing?
    let timedWait: TimedWait
    var awaited: AwaitedCallback?
    var manager: CBCentralManager?
    private var wasReady = false
    /// The one in use.
    private(set) var peripheral: CBPeripheral?
    /// Services that the peripheral in use no longer has: requests to them get no answer.
    private var invalidServices: [CBService] = []
    /// How devices advertise.
    enum Advertising { case connectable, notConnectable }
    private(set) var lastHeard: [UUID: Advertising] = [:]
    private static let heardLimit = 4_096
    private(set) var strength: Int?
    private(set) var channel: CBL2CAPChannel?

    /// Creates the central; nothing happens before ``open()`` or ``start(timeout:)``.
    init(pairing: ProgramPairing? = nil, output: OutputFormat) {
        self.output = output
        self.pairing = pairing
        timedWait = TimedWait(pausingFor: pairing?.conversation)
    }

    // MARK: Repeated events

    /// Opens the adapter.
    func open() { manager = CBCentralManager(delegate: self, queue: Self.queue) }

    /// The main queue by another name: Core Bluetooth warns of scans with duplicates on the main queue itself, which
    /// would slow down an app's user interface.
    private static let queue = DispatchQueue(label: "corebluetooth.central", target: .main)

    /// Looks for devices; no services means all.
    func scan(services: [CBUUID], duplicates: Bool) {
        manager?.scanForPeripherals(
            withServices: services.isEmpty ? nil : services,
            options: [CBCentralManagerScanOptionAllowDuplicatesKey: duplicates]
        )
    }

    // MARK: Procedures

    /// Opens the adapter and waits until it is ready.
    func start(timeout: TimeInterval) async throws {
        try await wait(
            .power,
            timeout,
            Failure("Bluetooth was not ready within \(SecondsText.text(timeout))", .noBluetooth),
            doing: "waiting for Bluetooth"
        ) { open() }
    }

    /// Waits until Bluetooth is ready again, however long that takes.
    func waitUntilReady() async throws {
        guard manager?.state != .poweredOn else { return }
        try await wait(.power, nil, Failure("Bluetooth was not ready", .noBluetooth), doing: "waiting for Bluetooth") {}
    }

    /// Connects to a device, which becomes the one in use.
    func connect(_ peripheral: CBPeripheral, timeout: TimeInterval) async throws {
        self.peripheral = peripheral
        invalidServices = []
        peripheral.delegate = self
        try await wait(
            .connection,
            timeout,
            Failure(self.lateConnection(peripheral, timeout), .timedOut),
            doing: "connecting to \(Self.name(peripheral))"
        ) { manager?.connect(peripheral) }
    }

    /// Reads a value.
    func read(_ characteristic: CBCharacteristic) async throws -> Data {
        let doing = "reading \(characteristic.uuid)"
        try await request(.value(ObjectIdentifier(characteristic)), doing, characteristic.service) {
            peripheral?.readValue(for: characteristic)
        }
        return characteristic.value ?? Data()
    }

    /// Reads a descriptor; the type of the value depends on its UUID.
    func read(_ descriptor: CBDescriptor) async throws -> Any? {
        let service = descriptor.characteristic?.service
        try await request(.value(ObjectIdentifier(descriptor)), "reading \(descriptor.uuid)", service) {
            peripheral?.readValue(for: descriptor)
        }
        return descriptor.value
    }

    /// Writes a value and waits for the peripheral's response.
    func write(_ data: Data, to characteristic: CBCharacteristic) async throws {
        let doing = "writing \(characteristic.uuid)"
        try await request(.written(ObjectIdentifier(characteristic)), doing, characteristic.service) {
            peripheral?.writeValue(data, for: characteristic, type: .withResponse)
        }
    }

    /// Writes a descriptor and waits for the peripheral's response.
    ///
    /// - Throws: ``Failure`` for the Client Characteristic Configuration, which apps do not write.
    func write(_ data: Data, to descriptor: CBDescriptor) async throws {
        guard descriptor.uuid.uuidString != CBUUIDClientCharacteristicConfigurationString else {
            throw Failure("\(descriptor.uuid) is written by subscribe")
        }
        let service = descriptor.characteristic?.service
        try await request(.written(ObjectIdentifier(descriptor)), "writing \(descriptor.uuid)", service) {
            peripheral?.writeValue(data, for: descriptor)
        }
    }

    /// Writes a value without a response, as soon as `canSendWriteWithoutResponse` allows it.
    func writeWithoutResponse(_ data: Data, to characteristic: CBCharacteristic) async throws {
        try await waitForWritability()
        peripheral?.writeValue(data, for: characteristic, type: .withoutResponse)
    }

    /// Waits until a write without response can be sent.
    ///
    /// - Throws: ``Failure`` if the device is no longer connected.
    func waitForWritability() async throws {
        if let peripheral, peripheral.state == .connected, peripheral.canSendWriteWithoutResponse { return }
        try await request(.writability, "writing without response") {}
    }

    /// Switches notifications or indications on or off.
    func setNotifying(_ isOn: Bool, _ characteristic: CBCharacteristic) async throws {
        let doing = "subscribing to \(characteristic.uuid)"
        try await request(.notifying(ObjectIdentifier(characteristic)), doing, characteristic.service) {
            peripheral?.setNotifyValue(isOn, for: characteristic)
        }
    }

    /// Measures the strength of the link, in dBm.
    func readStrength() async throws -> Int? {
        try await request(.strength, "reading the signal strength") { peripheral?.readRSSI() }
        return strength
    }

    /// Opens a channel.
    func openChannel(_ psm: CBL2CAPPSM) async throws -> CBL2CAPChannel {
        channel = nil
        try await request(.channel, "opening the channel \(psm)") { peripheral?.openL2CAPChannel(psm) }
        guard let channel else { throw Failure("the channel \(psm) was not opened") }
        return channel
    }

    /// Whether the peripheral in use still has a service.
    func isPresent(_ service: CBService) -> Bool { !invalidServices.contains { $0 === service } }

    // MARK: Waiting

    /// Waits for an answer of Core Bluetooth, or of another part of it.
    func wait(
        _ awaited: AwaitedCallback,
        _ seconds: TimeInterval?,
        _ late: @escaping @MainActor @autoclosure () -> Failure,
        doing: String = "waiting",
        _ start: () -> Void
    ) async throws {
        do {
            try await ProgressLine.during(doing, .seconds, total: seconds.map { Int($0) }) { _ in
                try await timedWait.wait(seconds, late: late()) {
                    self.awaited = awaited
                    start()
                }
            }
        } catch {
            // An answer after the limit is ignored; a later value is a notification.
            if !timedWait.isWaiting { self.awaited = nil }
            throw error
        }
    }

    /// A request to the peripheral in use, about one of its services or about itself.
    func request(
        _ awaited: AwaitedCallback,
        _ doing: String,
        _ service: CBService? = nil,
        _ start: () -> Void
    ) async throws {
        guard let peripheral, peripheral.state == .connected else {
            throw Failure("the device is not connected any more; start again", .notConnected)
        }
        if let service, !isPresent(service) {
            throw Failure("\(doing) failed: the device has changed its services; start again", .notFound)
        }
        do {
            let limit = procedureTimeout
            let late = Failure("\(doing) took more than \(SecondsText.text(limit))", .timedOut)
            try await wait(awaited, limit, late, doing: doing, start)
        } catch let failure as Failure {
            throw failure
        } catch let failure as DeviceFailure {
            throw failure
        } catch {
            throw DeviceFailure("\(doing) failed", error)
        }
    }

    /// Completes the call that waits for this callback.
    func end(_ awaited: AwaitedCallback, _ error: (any Error)?) {
        // The call of a late answer has timed out.
        guard self.awaited == awaited, timedWait.isWaiting else { return }
        self.awaited = nil
        timedWait.end(error.map { .failure($0) } ?? .success(()))
    }

    /// Fails the waiting call, if any.
    private func fail(_ failure: any Error) {
        awaited = nil
        guard timedWait.isWaiting else { return }
        timedWait.end(.failure(failure))
    }

    /// Lets the end of a pairing complete the call that waits for it.
    func watchPairings() {
        pairing?.conversation.onEnd = { [weak self] peer, outcome in
            guard let self, peer.identifier == peripheral?.identifier else { return }
            switch outcome {
            case .paired: end(.pairing, nil)
            case .failed(let reason): end(.pairing, Failure(reason, .refused))
            }
        }
    }
}

// MARK: Delegates

extension Central: @preconcurrency CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        output.report("Bluetooth is \(StateText.text(central.state))")
        switch central.state {
        case .poweredOn:
            wasReady = true
            onReady?()
            end(.power, nil)
        case .unknown:
            break
        default:
            // Core Bluetooth has logged why it has no adapter.
            guard wasReady else {
                output.print(Failure("Bluetooth is \(StateText.text(central.state))", .noBluetooth))
                Ending.failAsSaid(.noBluetooth)
            }
            // Links end without `didDisconnectPeripheral`.
            let reason = "the adapter was lost (\(StateText.text(central.state)))"
            fail(Failure(reason, .noBluetooth))
            if peripheral != nil { onDisconnection?(reason) }
        }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        let discovery = ScannedDevice(peripheral, advertisementData, rssi: RSSI)
        if lastHeard.count >= Self.heardLimit { lastHeard = [:] }
        lastHeard[peripheral.identifier] = discovery.isConnectable ? .connectable : .notConnectable
        onDiscovery?(peripheral, discovery)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        output.report("connected to \(Self.name(peripheral))")
        end(.connection, nil)
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        let line = "\(Self.name(peripheral)) could not be connected to"
        fail(error.map { DeviceFailure(line, $0) } ?? Failure(line + ": no reason was given", .notConnected))
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        let reason = error.map(ErrorText.text) ?? "it was asked to"
        output.report("disconnected from \(Self.name(peripheral)): \(reason)")
        if awaited == .disconnection { return end(.disconnection, nil) }
        let line = "\(Self.name(peripheral)) has disconnected"
        fail(error.map { DeviceFailure(line, $0) } ?? Failure("\(line): \(reason)", .notConnected))
        onDisconnection?(reason)
    }
}

extension Central: @preconcurrency CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) { end(.services, error) }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverIncludedServicesFor service: CBService,
        error: (any Error)?
    ) {
        end(.includedServices(ObjectIdentifier(service)), error)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?
    ) {
        end(.characteristics(ObjectIdentifier(service)), error)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverDescriptorsFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        end(.descriptors(ObjectIdentifier(characteristic)), error)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        let isAnswer = awaited == .value(ObjectIdentifier(characteristic))
        end(.value(ObjectIdentifier(characteristic)), error)
        if !isAnswer, error == nil, let value = characteristic.value { onValue?(characteristic, value) }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
        end(.value(ObjectIdentifier(descriptor)), error)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didWriteValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        end(.written(ObjectIdentifier(characteristic)), error)
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
        end(.written(ObjectIdentifier(descriptor)), error)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        end(.notifying(ObjectIdentifier(characteristic)), error)
    }

    /// Core Bluetooth has already answered pending requests to these services.
    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        output.report("\(Self.name(peripheral)) has changed its services")
        invalidServices += invalidatedServices
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { end(.writability, nil) }

    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
        strength = error == nil ? RSSI.intValue : nil
        if let strength { onStrength?(strength) }
        end(.strength, error)
    }

    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        self.channel = channel
        end(.channel, error)
    }
}
