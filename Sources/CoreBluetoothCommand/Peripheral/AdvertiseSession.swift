// A peripheral that answers by its description, and prints what centrals do with it.

import BluetoothHost
import CommandLineTool
import CoreBluetooth
import Foundation

/// Offers services and advertises.
@MainActor
final class AdvertiseSession: NSObject {
    /// A characteristic and its present value.
    @MainActor
    final class Attribute {
        let characteristic: CBMutableCharacteristic
        let description: GATTDescription.Characteristic
        var value: Data
        /// Its recorded behaviour.
        var replay: CharacteristicReplay?
        /// The recorded values that are still to come after a subscription.
        var sendings: [DispatchWorkItem] = []
        var nextValue = 0
        // Not a Timer: on Linux the memory of an invalidated one is not released.
        var timer: (any DispatchSourceTimer)?

        init(_ description: GATTDescription.Characteristic) {
            self.description = description
            characteristic = AdvertiseSession.characteristic(description)
            replay = description.replay
            value =
                description.value?.data ?? description.values?.first?.data ?? description.reads?.first?.data ?? Data()
        }
    }

    /// A value that waits until the transmit queue has space.
    struct Update {
        var attribute: Attribute
        var value: Data
        /// The centrals that get it; `nil` for all subscribers.
        var centrals: [CBCentral]?
    }

    /// The most values that wait; with one more the oldest is dropped.
    private static let updateLimit = 256

    private let name: String
    private let advertised: [CBUUID]
    private let beacon: Beacon?
    private let options: AdvertisingOptions
    let output: OutputFormat
    let attributes: [Attribute]
    private let services: [CBMutableService]
    let server: BenchmarkServer?
    private let channels: [GATTDescription.Channel]
    /// The channels that have no PSM yet.
    private var unpublished: [GATTDescription.Channel] = []
    private var echoes: [EchoChannel] = []
    private var manager: CBPeripheralManager?
    private var wasReady = false
    private var updates: [Update] = []
    /// What is printed for a device that pairs by it; `nil` if there is none, or once it was printed.
    var outOfBand: LocalPairingOutOfBandData?
    /// The lines that change values.
    var lines: LineReader?

    /// Creates the session.
    init(name: String, advertised: [CBUUID], description: GATTDescription?, benchmark: Bool, output: OutputFormat) {
        self.name = name
        self.output = output
        var attributes: [Attribute] = []
        var shown = advertised
        var services = (description?.services ?? []).map { description in
            let service = CBMutableService(type: description.uuid.uuid, primary: description.primary ?? true)
            let own = (description.characteristics ?? []).map(Attribute.init)
            service.characteristics = own.map(\.characteristic)
            attributes += own
            if description.advertise ?? true { shown.append(description.uuid.uuid) }
            return service
        }
        server = benchmark ? BenchmarkServer() : nil
        if let server {
            services.append(server.service)
            shown.append(BenchmarkService.uuid)
        }
        for (service, description) in zip(services, description?.services ?? []) {
            guard let includes = description.includes else { continue }
            service.includedServices = includes.compactMap { included in
                services.first { $0.uuid == included.uuid }
            }
        }
        self.attributes = attributes
        self.services = services
        channels = description?.channels ?? []
        self.advertised = shown
        beacon = description?.beacon
        options = description?.advertisingOptions ?? AdvertisingOptions()
    }

    /// Runs the peripheral; never returns.
    ///
    /// - Parameter conversation: Gets the lines of standard input that answer questions; all others are commands.
    func run(_ conversation: PairingConversation) -> Never {
        // A read in the background of a terminal then fails instead of stopping the process.
        signal(SIGTTIN, SIG_IGN)
        start()
        take(LineReader(), conversation)
        Interrupts.runUntilExit()
    }

    /// Starts the peripheral.
    func start() { manager = CBPeripheralManager(delegate: self, queue: nil) }

    private static func characteristic(_ description: GATTDescription.Characteristic) -> CBMutableCharacteristic {
        var properties: CBCharacteristicProperties = []
        var permissions: CBAttributePermissions = []
        for property in description.properties {
            switch property {
            case .read:
                properties.insert(.read)
                permissions.insert(.readable)
            case .write:
                properties.insert(.write)
                permissions.insert(.writeable)
            case .writeWithoutResponse:
                properties.insert(.writeWithoutResponse)
                permissions.insert(.writeable)
            case .notify: properties.insert(.notify)
            case .indicate: properties.insert(.indicate)
            }
        }
        description.security?.add(to: &properties, &permissions)
        let characteristic = CBMutableCharacteristic(
            type: description.uuid.uuid,
            properties: properties,
            value: nil,
            permissions: permissions
        )
        if let text = description.description {
            let uuid = CBUUID(string: CBUUIDCharacteristicUserDescriptionString)
            let descriptor = CBMutableDescriptor(type: uuid, value: text)
            descriptor.requiredLevel = description.security?.description?.value ?? .none
            characteristic.descriptors = [descriptor]
        }
        if let format = description.format {
            let uuid = CBUUID(string: CBUUIDCharacteristicFormatString)
            characteristic.descriptors =
                (characteristic.descriptors ?? []) + [CBMutableDescriptor(type: uuid, value: format.data)]
        }
        return characteristic
    }

    func attribute(_ characteristic: CBCharacteristic) -> Attribute? {
        attributes.first { $0.characteristic === characteristic }
    }

    // MARK: Values

    /// Sends a value to subscribers as soon as the transmit queue has space.
    func notify(_ update: Update) {
        if updates.count >= Self.updateLimit { updates.removeFirst() }
        updates.append(update)
        sendUpdates()
    }

    private func sendUpdates() {
        while let update = updates.first, let manager {
            guard
                manager.updateValue(
                    update.value,
                    for: update.attribute.characteristic,
                    onSubscribedCentrals: update.centrals
                )
            else { return }
            updates.removeFirst()
        }
    }

    /// Advances to the next of the values, and notifies subscribers.
    private func advance(_ attribute: Attribute) {
        if let values = attribute.description.values {
            attribute.nextValue = (attribute.nextValue + 1) % values.count
            attribute.value = values[attribute.nextValue].data
        }
        notify(Update(attribute: attribute, value: attribute.value))
    }

    private func watch(_ attribute: Attribute) {
        let hasSubscribers = !(attribute.characteristic.subscribedCentrals ?? []).isEmpty
        watchRecorded(attribute, hasSubscribers)
        guard let every = attribute.description.notifyEvery else { return }
        if !hasSubscribers {
            attribute.timer?.cancel()
            attribute.timer = nil
        } else if attribute.timer == nil {
            let timer = DispatchSource.makeTimerSource(queue: .main)
            timer.schedule(deadline: .now() + every, repeating: every)
            timer.setEventHandler { MainActor.assumeIsolated { self.advance(attribute) } }
            timer.resume()
            attribute.timer = timer
        }
    }

    // MARK: Lines

    func report(_ event: String, _ characteristic: CBCharacteristic, _ central: CBCentral?, _ value: Data? = nil) {
        let uuid = characteristic.uuid
        let meaning = value.map { ": " + ValueText.text($0, of: uuid) } ?? ""
        output.print(
            event,
            [
                ("characteristic", .string(uuid.uuidString)), ("central", JSONValue(central?.identifier.uuidString)),
                ("value", JSONValue(value.map { HexadecimalText.digits($0) })),
            ],
            line: "\(event) \(UUIDText.label(uuid))\(meaning)"
        )
    }
}

// MARK: Delegate

extension AdvertiseSession: @preconcurrency CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        output.report("Bluetooth is \(StateText.text(peripheral.state))")
        switch peripheral.state {
        case .poweredOn:
            wasReady = true
            peripheral.removeAllServices()
            services.forEach(peripheral.add)
            if server != nil { peripheral.publishL2CAPChannel(withEncryption: false) }
            server?.psm = 0
            unpublished = channels
            for channel in channels { peripheral.publishL2CAPChannel(requiring: channel.security?.value ?? .none) }
            peripheral.watchCentrals { [output] central, isConnected in
                let (event, central) = (isConnected ? "connected" : "disconnected", central.identifier.uuidString)
                output.print(event, [("central", .string(central))], line: "\(event) \(central)")
            }
            if let local = outOfBand.take() {
                BluetoothAdapter.default.share(local) { [output] data in
                    let digits = HexadecimalText.digits(data.advertisingData)
                    output.print("outOfBand", [("hex", .string(digits))], line: "out-of-band data: \(digits)")
                }
            }
            // Advertising that was only paused must not be started again.
            peripheral.stopAdvertising()
            let advertisement: [String: Any] = [
                CBAdvertisementDataLocalNameKey: name, CBAdvertisementDataServiceUUIDsKey: advertised,
            ]
            peripheral.startAdvertising(advertisement, options)
        case .unknown:
            break
        default:
            // Core Bluetooth has logged why it has no adapter.
            guard wasReady else { Ending.failAsSaid(.noBluetooth) }
            ServiceManager.current.waitsForAdapter()
            updates.removeAll()
            for attribute in attributes {
                attribute.timer?.cancel()
                attribute.timer = nil
                watchRecorded(attribute, false)
            }
        }
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        guard let error else { return }
        let hint =
            (error as? CBError)?.code == .uuidNotAllowed ? "; the system keeps it for itself, choose another" : ""
        Ending.fail(Failure("the service \(service.uuid) cannot be offered: \(ErrorText.text(error))\(hint)"))
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        if let error {
            let hint = options.phy == nil ? "" : "; for a controller without extended advertising leave --phy out"
            Ending.fail(Failure("cannot advertise: \(ErrorText.text(error))\(hint)"))
        }
        let words = advertised.map { UUIDText.name(ofService: $0) } + [beacon?.words].compactMap { $0 }
        let shown = (words.isEmpty ? "" : " ") + words.joined(separator: ", ")
        output.print(
            "advertising",
            [
                ("name", .string(name)), ("services", .array(advertised.map { .string($0.uuidString) })),
                ("connectable", .bool(options.isConnectable)), ("beacon", beacon?.object ?? .null),
            ],
            line: "\(name.isEmpty ? "" : PrintableText.quoted(name) + " is ")advertising\(shown); Ctrl-C ends it."
        )
        ServiceManager.current.ready("advertises\(name.isEmpty ? shown : " as " + PrintableText.quoted(name))")
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {
        if let server, server.owns(characteristic) { return }
        report("subscribed", characteristic, central)
        if let attribute = attribute(characteristic) { watch(attribute) }
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        if let server, server.owns(characteristic) { return server.unsubscribed() }
        report("unsubscribed", characteristic, central)
        if let attribute = attribute(characteristic) { watch(attribute) }
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        afterDelay(of: [request]) { self.answer(read: request, peripheral) }
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        afterDelay(of: requests) { self.answer(write: requests, peripheral) }
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        sendUpdates()
        server?.sendNotifications(peripheral)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didPublishL2CAPChannel PSM: CBL2CAPPSM,
        error: (any Error)?
    ) {
        if let error {
            return Console.warn("a channel was not published: \(ErrorText.text(error))")
        }
        // Channels are published in the order of the calls.
        if let server, server.psm == 0 { return server.psm = PSM }
        guard !unpublished.isEmpty else { return }
        let level = unpublished.removeFirst().security?.rawValue
        output.print(
            "channel",
            [("psm", .integer(Int(PSM))), ("security", .string(level ?? "none"))],
            line: "the L2CAP channel \(PSM) is open to centrals\(level.map { ", \($0)" } ?? "")"
        )
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        guard let channel else { return }
        if let server, server.psm == channel.psm { return server.opened(channel) }
        echoes.removeAll(where: \.isDone)
        let (psm, output) = (channel.psm, output)
        output.print("opened", [("psm", .integer(Int(psm)))], line: "opened channel \(psm)")
        echoes.append(
            EchoChannel(channel) { data in
                output.print(
                    "received",
                    [("psm", .integer(Int(psm))), ("value", .string(HexadecimalText.digits(data)))],
                    line: "channel \(psm): \(HexadecimalText.digits(data))"
                )
            }
        )
    }
}
