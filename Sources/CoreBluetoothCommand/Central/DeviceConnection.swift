// A connection that actions use: what was discovered of the device, and the values that come.

import BluetoothHost
import CommandLineTool
import CoreBluetooth
import Foundation

/// A connection to a device.
@MainActor
final class DeviceConnection {
    /// Called with each value.
    typealias Receiver = @MainActor (Data, CBCharacteristic) -> Void

    /// A characteristic whose values are taken as they come.
    private struct Subscription {
        var characteristic: CBCharacteristic
        var receiver: Receiver
        /// The number of values still awaited; `nil` for all.
        var left: Int?
    }

    let central: Central
    let peripheral: CBPeripheral
    let output: OutputFormat
    /// Whether more actions may follow while values come.
    let isSession: Bool
    /// Called when the connection is lost while nothing waits for it.
    var onLoss: ((String) -> Void)?
    private var subscriptions: [Subscription] = []
    /// The L2CAP channels that are open, by their PSM.
    var channels: [CBL2CAPPSM: OpenChannel] = [:]
    private let values = TimedWait()
    /// Why the connection was lost, if it was.
    private var lossReason: String?
    /// Whether all services were discovered with their characteristics.
    private var hasDiscovered = false

    init(_ central: Central, _ peripheral: CBPeripheral, output: OutputFormat, isSession: Bool = false) {
        self.central = central
        self.peripheral = peripheral
        self.output = output
        self.isSession = isSession
        central.onValue = { [weak self] characteristic, data in self?.receive(data, of: characteristic) }
        watch()
    }

    /// Watches for the end of the connection; to be called again for a new connection.
    func watch() {
        lossReason = nil
        hasDiscovered = false
        central.onDisconnection = { [weak self] in self?.lost($0) }
    }

    // MARK: What was discovered

    /// The characteristics that were discovered, of services that the device still has.
    var discovered: [CBCharacteristic] {
        (peripheral.services ?? []).filter(central.isPresent).flatMap { $0.characteristics ?? [] }
    }

    /// The names and UUIDs of discovered characteristics whose properties fit.
    func names(_ fits: (CBCharacteristicProperties) -> Bool) -> [String] {
        discovered.filter { fits($0.properties) }.flatMap { UUIDText.spellings($0.uuid) }
    }

    /// Discovers the characteristics of the services of a UUID, or of all services, whose names can be completed then.
    func discover(_ service: CBUUID? = nil) async throws {
        let services = try await central.discoverServices(service.map { [$0] }).filter { $0.characteristics == nil }
        try await ProgressLine.during("discovering", .items("services"), total: services.count) { progress in
            for (index, service) in services.enumerated() {
                progress.update(index)
                _ = try await central.discoverCharacteristics(of: service)
            }
        }
        if service == nil { hasDiscovered = true }
    }

    /// The characteristic that a query selects, discovered unless it was before; `nil` if there is none.
    ///
    /// - Throws: ``Failure`` if the query selects several.
    func characteristic(_ query: AttributeQuery, of service: CBUUID?) async throws -> CBCharacteristic? {
        func find() -> [CBCharacteristic] {
            discovered.filter { query.selects($0) && (service == nil || $0.service?.uuid == service) }
        }
        var found = find()
        // A service that was not discovered may have another one.
        if found.isEmpty || !hasDiscovered && service == nil && query.handle == nil {
            try await discover(service)
            found = find()
        }
        guard found.count > 1 else { return found.first }
        throw Failure.ambiguous("characteristics \(query.text)", found.map { ($0.handle, $0.service?.uuid) })
    }

    // MARK: Values that come

    /// Prints the values of a characteristic from now on, or only the first `count` of them.
    func subscribe(to characteristic: CBCharacteristic, _ printer: ValuePrinter, count: Int?) async throws {
        try await subscribe(to: characteristic, count: count) { printer.print($0, of: $1) }
    }

    /// Gives the values of a characteristic to `receiver` from now on, or only the first `count` of them.
    func subscribe(to characteristic: CBCharacteristic, count: Int? = nil, _ receiver: @escaping Receiver) async throws
    {
        let before = subscriptions
        subscriptions.removeAll { $0.characteristic === characteristic }
        subscriptions.append(Subscription(characteristic: characteristic, receiver: receiver, left: count))
        do {
            try await central.setNotifying(true, characteristic)
        } catch {
            subscriptions = before
            throw error
        }
    }

    /// Stops printing the values of a characteristic.
    func unsubscribe(from characteristic: CBCharacteristic) async throws {
        try await central.setNotifying(false, characteristic)
        subscriptions.removeAll { $0.characteristic === characteristic }
    }

    /// The characteristics whose values are printed.
    var subscribed: [CBCharacteristic] { subscriptions.map(\.characteristic) }

    /// Waits until one subscription has all the values of its count, or for some seconds.
    ///
    /// - Throws: ``Failure`` if the connection is lost first.
    func waitForValues(_ seconds: TimeInterval? = nil) async throws {
        if let lossReason { throw lossFailure(lossReason) }
        if seconds == nil, subscriptions.contains(where: { $0.left == 0 }) { return }
        let timer = seconds.map { Deadline(after: $0) { [values] in values.end(.success(())) } }
        defer { timer?.cancel() }
        try await values.wait(nil, late: Failure("")) {}
    }

    private func receive(_ data: Data, of characteristic: CBCharacteristic) {
        guard let index = subscriptions.firstIndex(where: { $0.characteristic === characteristic }),
            subscriptions[index].left != 0
        else { return }
        subscriptions[index].receiver(data, characteristic)
        guard let left = subscriptions[index].left else { return }
        subscriptions[index].left = left - 1
        if left == 1, values.isWaiting { values.end(.success(())) }
    }

    /// Ends the connection.
    func disconnect() async throws {
        try await closeChannels()
        subscriptions = []
        await central.disconnect()
    }

    private func lost(_ reason: String) {
        lossReason = reason
        subscriptions = []
        channels = [:]
        if values.isWaiting { values.end(.failure(lossFailure(reason))) } else { onLoss?(reason) }
    }

    private func lossFailure(_ reason: String) -> Failure {
        Failure("\(Central.name(peripheral)) has disconnected: \(reason)", .notConnected)
    }
}
