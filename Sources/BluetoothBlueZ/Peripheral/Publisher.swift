// Publishes our app's services with BlueZ: each is registered as an application of its own. The mirror of a central
// sends the central's requests to our host over the private air.

import BluetoothAir
import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import Logging
import NIOCore

/// Publishes the services and the advertisement of our host.
final class Publisher {
    private struct Registration {
        var service: PublishedService
        var objects: PublishedObjects
        var isRegistered = false
    }

    private let adapter: String
    private let calls: BlueZCalls
    private let air: Air
    private let controller: VirtualController
    /// BlueZ's properties of the device at a path.
    private let device: (String) -> DeviceProperties?
    /// The path of the device with an address.
    private let path: (DeviceAddress) -> String?
    private weak var host: LEHost?
    private var registrations: [AttributeHandle: Registration] = [:]
    private var registrationCount = 0
    private var centrals: [String: CentralMirror] = [:]
    private var listeners: [SPSM: KernelListener] = [:]
    private var advertisement = PublishedAdvertisement()
    private var advertisementPath: String?
    /// The object that is to take the place of the one above.
    private var renewedPath: String?
    /// Called with a service that BlueZ has published or refused.
    var onPublish: ((AttributeHandle, _ isAccepted: Bool) -> Void)?
    /// Whether centrals may find something of ours.
    var isPublishing: Bool { !self.registrations.isEmpty }

    private static let root = "/org/corebluetooth"
    private static let log = Logger(label: "bluetooth.bluez")
    /// More centrals than these are refused.
    private static let centralLimit = 64

    init(
        _ adapter: String,
        _ calls: BlueZCalls,
        _ air: Air,
        _ controller: VirtualController,
        device: @escaping (String) -> DeviceProperties?,
        path: @escaping (DeviceAddress) -> String?
    ) {
        self.adapter = adapter
        self.calls = calls
        self.air = air
        self.controller = controller
        self.device = device
        self.path = path
    }

    /// Publishes what `host` has, now and later.
    func publish(_ host: LEHost) {
        self.host = host
        host.onPublishedChange = { [weak self] in self?.update() }
        host.channels.onListenersChange = { [weak self] in self?.updateListeners() }
        self.update()
        self.updateListeners()
    }

    /// Stops publishing; BlueZ notices the end of the connection.
    func close() {
        self.host?.onPublishedChange = nil
        self.host?.channels.onListenersChange = nil
        self.listeners = [:]
        self.registrations = [:]
        for central in self.centrals.values { central.close() }
        self.centrals = [:]
    }

    // MARK: Services

    private func update() {
        guard let published = self.host?.published else { return }
        for (handle, registration) in self.registrations where published[handle] != registration.service {
            self.registrations[handle] = nil
            guard registration.isRegistered else { continue }
            let root: [BusValue] = [.path(registration.objects.root)]
            self.calls.call(self.adapter, BlueZ.gattManager, "UnregisterApplication", root)
        }
        for handle in published.keys.sorted() where self.registrations[handle] == nil {
            if let service = published[handle] { self.register(service, handle) }
        }
    }

    private func register(_ service: PublishedService, _ handle: AttributeHandle) {
        self.registrationCount += 1
        let objects = PublishedObjects(service, root: "\(Self.root)/service\(self.registrationCount)")
        self.registrations[handle] = Registration(service: service, objects: objects)
        self.calls.call(
            self.adapter,
            BlueZ.gattManager,
            "RegisterApplication",
            [.path(objects.root), .properties([:])]
        ) { [weak self] result in
            switch result {
            case .success: self?.registered(objects.root, handle)
            case .failure(let failure):
                Self.log.error(
                    "BlueZ has not published the service \(service.definition.uuid): \(failure.text.onOneLine)"
                )
                guard let self, self.registrations[handle]?.objects.root == objects.root else { return }
                self.onPublish?(handle, false)
            }
        }
    }

    private func registered(_ root: String, _ handle: AttributeHandle) {
        guard self.registrations[handle]?.objects.root == root else {
            // It was removed meanwhile.
            self.calls.call(self.adapter, BlueZ.gattManager, "UnregisterApplication", [.path(root)])
            return
        }
        self.registrations[handle]?.isRegistered = true
        self.onPublish?(handle, true)
    }

    // MARK: Channels

    private func updateListeners() {
        guard let wanted = self.host?.channels.listeners else { return }
        self.listeners = self.listeners.filter { wanted[$0.key] != nil }
        for (spsm, security) in wanted where self.listeners[spsm] == nil {
            self.listeners[spsm] = KernelListener(
                spsm,
                security,
                of: self.controller.address,
                on: self.air.eventLoop,
                accepted: { [weak self] in self?.accepted($0, from: $1, spsm) }
            )
        }
    }

    private func accepted(_ socket: CInt, from device: DeviceAddress, _ spsm: SPSM) {
        guard let path = self.path(device), let central = self.central(path, mtu: nil) else {
            KernelChannel.end(socket)
            return
        }
        central.open(spsm, for: socket)
    }

    // MARK: Advertising

    /// Takes a command of our host; true if it waits for BlueZ, whose answer goes to `completion`.
    func sent(_ packet: HCIPacket, completion: @escaping (HCIErrorCode?) -> Void) -> Bool {
        switch self.advertisement.sent(packet) {
        case .none: return false
        case .stop:
            self.stopAdvertising()
            return false
        case .start:
            self.stopAdvertising()
            self.advertisementPath = self.registerAdvertisement { failure in
                guard let failure else { return completion(nil) }
                Self.log.error("BlueZ does not advertise: \(failure.text.onOneLine)")
                completion(.memoryCapacityExceeded)
            }
            return true
        }
    }

    /// Registers the advertisement as a new object; returns its path.
    private func registerAdvertisement(completion: @escaping (BusFailure?) -> Void) -> String {
        self.registrationCount += 1
        let path = "\(Self.root)/advertisement\(self.registrationCount)"
        let arguments: [BusValue] = [.path(path), .properties([:])]
        self.calls.call(self.adapter, BlueZ.advertisingManager, "RegisterAdvertisement", arguments) { result in
            if case .failure(let failure) = result { completion(failure) } else { completion(nil) }
        }
        return path
    }

    private func stopAdvertising() {
        for path in [self.advertisementPath, self.renewedPath] { self.unregisterAdvertisement(path) }
        self.advertisementPath = nil
        self.renewedPath = nil
    }

    private func unregisterAdvertisement(_ path: String?) {
        guard let path else { return }
        self.calls.call(self.adapter, BlueZ.advertisingManager, "UnregisterAdvertisement", [.path(path)])
    }

    // MARK: Centrals

    /// A device has connected. Linux does not advertise a registered object again before the link has ended, but a new
    /// one, so that other centrals find our app. If there is no place for two, or the controller does not advertise
    /// during a link, the old one stays.
    func connected() {
        guard let before = self.advertisementPath, self.renewedPath == nil else { return }
        var renewed: String?
        renewed = self.registerAdvertisement { [weak self] failure in
            guard let self, self.renewedPath == renewed else { return }
            self.renewedPath = nil
            guard failure == nil else { return }
            self.advertisementPath = renewed
            self.unregisterAdvertisement(before)
        }
        self.renewedPath = renewed
    }

    /// The device at a path has disconnected.
    func disconnected(_ path: String) { self.centrals.removeValue(forKey: path)?.close() }

    private func central(_ options: ObjectTree.Properties) -> CentralMirror? {
        options["device"]?.path.flatMap { self.central($0, mtu: options["mtu"]?.uint16) }
    }

    private func central(_ path: String, mtu: UInt16?) -> CentralMirror? {
        guard let host = self.host else { return nil }
        if let central = self.centrals[path], !central.isClosed { return central }
        guard self.centrals.count < Self.centralLimit, let device = self.device(path) else { return nil }
        let mtu = mtu.map(Int.init) ?? ATT.defaultMTU
        let central = CentralMirror(path, device.address, mtu: mtu, on: self.air, to: self.controller, host)
        self.centrals[path] = central
        return central
    }

    // MARK: Calls

    /// Takes a call of BlueZ; false if it is for nothing that is here.
    func received(_ call: BusCall, _ message: BusMessage) -> Bool {
        switch (message.interface, message.member) {
        case (BlueZ.objectManager, "GetManagedObjects"):
            guard let objects = self.registrations.values.first(where: { $0.objects.root == message.path })?.objects
            else { return false }
            call.reply([objects.managedObjects])
        case (BlueZ.propertiesInterface, "GetAll")
        where message.path == self.advertisementPath || message.path == self.renewedPath:
            call.reply([.properties(self.advertisement.properties)])
        case (BlueZ.advertisement, "Release"):
            call.reply()
        case (BlueZ.characteristic, _), (BlueZ.descriptor, _):
            let attribute = self.registrations.values.lazy.compactMap { $0.objects.attributes[message.path] }.first
            guard let attribute else { return false }
            return self.received(call, message, attribute)
        default: return false
        }
        return true
    }

    private func received(_ call: BusCall, _ message: BusMessage, _ attribute: PublishedObjects.Attribute) -> Bool {
        let options = message.arguments.last?.dictionary ?? [:]
        let offset = Int(options["offset"]?.uint16 ?? 0)
        guard let central = self.central(options) else {
            call.fail(.unlikelyError)
            return true
        }
        let handle: AttributeHandle
        switch attribute {
        case .characteristic(let value, _, _): handle = value
        case .descriptor(let value): handle = value
        }
        switch (message.member, attribute) {
        case ("ReadValue", _):
            central.read(handle, from: offset) { result in
                switch result {
                case .success(let value): call.reply([.bytes(value)])
                case .failure(let code): call.fail(code)
                }
            }
        case ("WriteValue", _):
            guard let value = message.arguments.first?.bytes, offset == 0 else {
                call.fail(.invalidOffset)
                return true
            }
            // BlueZ asks first whether the value may be prepared.
            if options["prepare-authorize"]?.boolean == true {
                call.reply()
                return true
            }
            if case .characteristic(_, _, let properties) = attribute, !properties.contains(.write) {
                if central.writeWithoutResponse(value, to: handle) {
                    call.reply()
                } else {
                    call.fail(.insufficientResources)
                }
                return true
            }
            central.write(value, to: handle) { error in
                if let error { call.fail(error) } else { call.reply() }
            }
        case ("AcquireNotify", .characteristic(_, let configuration?, let properties)):
            central.subscribe(to: handle, configuration: configuration, properties) { result in
                switch result {
                case .success((let descriptor, let mtu)):
                    call.reply([.descriptor(descriptor), .uint16(UInt16(mtu))])
                case .failure(let code): call.fail(code)
                }
            }
        // An indication was confirmed; our host has its confirmation from the mirror.
        case ("Confirm", _): call.reply()
        default: return false
        }
        return true
    }
}

extension BusCall {
    /// Answers BlueZ with an error that reaches the central.
    fileprivate func fail(_ code: ATTErrorCode) {
        let (name, text) = code.blueZError
        self.fail("org.bluez.Error." + name, text)
    }
}
