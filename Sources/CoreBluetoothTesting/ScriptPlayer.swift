// The host of a scripted device: it publishes what the script says and answers as the script does, with its faults.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import NIOCore

/// The host of a scripted device.
final class ScriptPlayer {
    private struct Entry {
        var definition: ScriptedPeripheral.Characteristic
        var value: Data
        var subscribers: [LinkID] = []
        var updateNumber = 0
        var timer: Scheduled<Void>?
    }

    unowned let device: ScriptedDevice
    let host: LEHost
    /// The keys of centrals with which the device has paired, by their identity addresses.
    var bonds: [DeviceAddress: Bond] = [:]
    private var services: [ScriptedPeripheral.Service]
    private var published: [AttributeHandle] = []
    private var entries: [AttributeHandle: Entry] = [:]
    /// The handles in the order of the script.
    private var handles: [AttributeHandle] = []
    private var links: [LinkID] = []
    private var updatesOnLink: [LinkID: Int] = [:]
    private var faults: [ScriptedPeripheral.Fault]

    init(_ device: ScriptedDevice) {
        self.device = device
        self.services = device.script.services
        self.faults = device.script.faults
        self.host = LEHost(
            eventLoop: device.world.loop,
            configuration: LEHostConfiguration(
                deviceName: device.script.name ?? device.name,
                address: device.address,
                preferredMTU: device.script.mtu,
                pairing: device.script.pairing
            )
        )
        self.host.delegate = self
        self.publish()
    }

    // MARK: Life

    func attach(_ channel: WatchedChannel) { self.host.attach(to: channel) }

    func detach() {
        self.host.detach()
        self.forgetLinks()
    }

    func disconnect() { for link in self.links { self.host.disconnect(link) } }

    private func forgetLinks() {
        self.links = []
        self.updatesOnLink = [:]
        for handle in self.handles {
            self.entries[handle]?.timer?.cancel()
            self.entries[handle]?.timer = nil
            self.entries[handle]?.subscribers = []
        }
    }

    // MARK: Services

    func publish(_ services: [ScriptedPeripheral.Service]) {
        for service in self.published.reversed() { self.host.removeService(service) }
        for handle in self.handles { self.entries[handle]?.timer?.cancel() }
        self.published = []
        self.entries = [:]
        self.handles = []
        self.services = services
        self.publish()
        self.updateAdvertising()
    }

    private func publish() {
        for service in self.services {
            do {
                let handles = try self.host.addService(service.definition)
                self.published.append(handles.range.lowerBound)
                for (definition, handle) in zip(service.characteristics, handles.characteristics) {
                    self.handles.append(handle.value)
                    self.entries[handle.value] = Entry(definition: definition, value: definition.value)
                }
            } catch {
                preconditionFailure("The script of \"\(self.device.name)\" has a service that cannot be: \(error)")
            }
        }
    }

    func updateAdvertising() {
        guard case .ready = self.host.state else { return }
        guard self.device.isAdvertising else { return self.host.stopAdvertising() }
        let advertisement = self.device.script.advertisement
        var data = AdvertisingData()
        var scanResponse = AdvertisingData()
        data.appendFlags([.generalDiscoverable, .bredrNotSupported])
        let services = advertisement.services ?? self.services.filter(\.isPrimary).map(\.uuid)
        func place(_ append: (inout AdvertisingData) -> Void) {
            var longer = data
            append(&longer)
            if longer.octetCount <= 31 { data = longer } else { append(&scanResponse) }
        }
        if !services.isEmpty { place { $0.appendServiceUUIDs(services.map(BluetoothUUID.init)) } }
        if let manufacturer = advertisement.manufacturerData {
            place { $0.append(.manufacturerSpecificData, ByteBuffer(bytes: manufacturer)) }
        }
        for (service, octets) in advertisement.serviceData {
            place {
                $0.appendServiceData(
                    AdvertisedServiceData(uuid: BluetoothUUID(service), data: ByteBuffer(bytes: octets))
                )
            }
        }
        if let name = self.device.script.name { place { $0.appendLocalName(name, limit: 29) } }
        precondition(
            data.octetCount <= 31 && scanResponse.octetCount <= 31,
            "The script of \"\(self.device.name)\" advertises more than 31 octets and 31 of scan response can hold"
        )
        self.host.startAdvertising(
            AdvertisingParameters(
                data: data.bytes,
                scanResponse: scanResponse.bytes,
                isConnectable: advertisement.isConnectable,
                interval: TimeAmount(advertisement.interval)
            )
        ) { _ in }
    }

    // MARK: Values

    private func handle(of characteristic: CBUUID) -> AttributeHandle? {
        self.handles.first { self.entries[$0]?.definition.uuid == characteristic }
    }

    func value(of characteristic: CBUUID) -> Data? {
        self.handle(of: characteristic).flatMap { self.entries[$0]?.value }
    }

    /// The characteristics in the order of their handles.
    var characteristics: [CBUUID] { self.handles.compactMap { self.entries[$0]?.definition.uuid } }

    /// Sets a value; false where there is no such characteristic.
    func setValue(_ value: Data, of characteristic: CBUUID) -> Bool {
        guard let handle = self.handle(of: characteristic) else { return false }
        self.entries[handle]?.value = value
        return true
    }

    func hasSubscriber(_ characteristic: CBUUID) -> Bool {
        self.handle(of: characteristic).flatMap { self.entries[$0]?.subscribers.isEmpty } == false
    }

    /// Sets a value and sends it; says how many subscribers get it, `nil` where there is no such characteristic.
    func notify(_ value: Data, _ characteristic: CBUUID) -> Int? {
        guard self.setValue(value, of: characteristic), let handle = self.handle(of: characteristic) else { return nil }
        self.notify(handle)
        return self.entries[handle]?.subscribers.count ?? 0
    }

    private func notify(_ handle: AttributeHandle) {
        guard let entry = self.entries[handle] else { return }
        for link in entry.subscribers {
            self.host.notify(ByteBuffer(bytes: entry.value), characteristic: handle, to: link)
            self.device.updateCount += 1
            self.updatesOnLink[link, default: 0] += 1
        }
    }

    private func startUpdates(_ handle: AttributeHandle) {
        guard let entry = self.entries[handle], let updates = entry.definition.updates, entry.timer == nil else {
            return
        }
        self.entries[handle]?.updateNumber = 0
        self.scheduleUpdate(handle, updates)
    }

    private func scheduleUpdate(_ handle: AttributeHandle, _ updates: ScriptedPeripheral.Updates) {
        let timer = self.host.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(updates.interval)) {
            [weak self] in
            guard let self, let entry = self.entries[handle], !entry.subscribers.isEmpty else { return }
            self.entries[handle]?.value = updates.value(entry.updateNumber)
            self.entries[handle]?.updateNumber += 1
            self.notify(handle)
            self.scheduleUpdate(handle, updates)
        }
        self.entries[handle]?.timer = timer
    }

    // MARK: Faults

    /// Lets what goes wrong at a step go wrong; says whether something does.
    private func meet(_ step: ScriptedPeripheral.Step, on link: LinkID) -> Bool {
        guard let index = self.faults.firstIndex(where: { $0.step == step }) else { return false }
        self.strike(self.faults.remove(at: index).kind, on: link)
        return true
    }

    private func strike(_ kind: ScriptedPeripheral.Fault.Kind, on link: LinkID) {
        switch kind {
        case .disconnect:
            self.device.note("disconnects")
            self.host.disconnect(link)
        case .loseLink: self.device.dropLinks()
        case .stopResponding: self.device.isUnresponsive = true
        case .powerOff:
            // The host is in the middle of its turn.
            self.host.eventLoop.assumeIsolated().execute { [weak self] in self?.device.isPowered = false }
        }
    }

    private func scheduleFaults(on link: LinkID) {
        for (index, fault) in self.faults.enumerated().reversed() {
            guard case .after(let delay) = fault.step else { continue }
            self.faults.remove(at: index)
            self.host.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(delay)) { [weak self] in
                guard let self, self.links.contains(link) else { return }
                self.strike(fault.kind, on: link)
            }
        }
    }

    // MARK: Answers

    private func answer(
        _ answer: ScriptedPeripheral.Answer,
        _ respond: @escaping (ScriptedPeripheral.Answer.Content) -> Void
    ) {
        guard answer.delay > .zero else { return respond(answer.content) }
        self.host.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(answer.delay)) { respond(answer.content) }
    }
}

extension ScriptPlayer: LEHostDelegate {
    func host(_ host: LEHost, didChange state: LEHostState) {
        switch state {
        case .ready: self.updateAdvertising()
        case .detached, .starting, .failed: self.forgetLinks()
        }
    }

    func host(_ host: LEHost, didConnect link: LinkInformation) {
        self.links.append(link.id)
        _ = self.meet(.onConnection, on: link.id)
        self.scheduleFaults(on: link.id)
    }

    func host(_ host: LEHost, didDisconnect link: LinkInformation, reason: HCIErrorCode) {
        self.links.removeAll { $0 == link.id }
        self.updatesOnLink[link.id] = nil
    }

    func host(_ host: LEHost, didReceiveReadRequest request: GATTReadRequest) {
        guard let entry = self.entries[request.handle] else {
            return host.respond(to: request.id, with: .failure(.unlikelyError))
        }
        if self.meet(.onRead(of: entry.definition.uuid), on: request.link) { return }
        // Of a long read, the first request decides what is read.
        let answer = entry.definition.onRead?(self.device) ?? .success
        self.answer(answer) { [weak self] content in
            guard let self else { return }
            let value: Data
            switch content {
            case .noResponse: return
            case .error(let code): return host.respond(to: request.id, with: .failure(ATTErrorCode(code)))
            case .value(let other): value = other
            case .success: value = self.entries[request.handle]?.value ?? Data()
            }
            guard request.offset <= value.count else {
                return host.respond(to: request.id, with: .failure(.invalidOffset))
            }
            host.respond(to: request.id, with: .success(ByteBuffer(bytes: value.dropFirst(request.offset))))
        }
    }

    func host(_ host: LEHost, didReceiveWriteRequest request: GATTWriteRequest) {
        var answer: ScriptedPeripheral.Answer = .success
        for part in request.parts {
            guard let entry = self.entries[part.handle] else { continue }
            let octets = Data(part.value.readableBytesView)
            let value = part.offset > 0 ? entry.value.prefix(part.offset) + octets : octets
            self.device.writes.append(.init(characteristic: entry.definition.uuid, value: value))
            if self.meet(.onWrite(to: entry.definition.uuid), on: request.link) { return }
            answer = entry.definition.onWrite?(value, self.device) ?? .success
            switch answer.content {
            case .success, .value: self.entries[part.handle]?.value = value
            case .error, .noResponse: break
            }
        }
        guard let id = request.id else { return }
        self.answer(answer) { content in
            switch content {
            case .noResponse: return
            case .error(let code): host.respond(to: id, error: ATTErrorCode(code))
            case .success, .value: host.respond(to: id, error: nil)
            }
        }
    }

    func host(_ host: LEHost, link: LinkID, didSubscribe isSubscribed: Bool, toCharacteristic handle: AttributeHandle) {
        guard let entry = self.entries[handle] else { return }
        self.entries[handle]?.subscribers.removeAll { $0 == link }
        guard isSubscribed else {
            if self.entries[handle]?.subscribers.isEmpty == true {
                self.entries[handle]?.timer?.cancel()
                self.entries[handle]?.timer = nil
            }
            return
        }
        self.entries[handle]?.subscribers.append(link)
        if self.meet(.onSubscription(to: entry.definition.uuid), on: link) { return }
        self.startUpdates(handle)
    }

    func host(_ host: LEHost, link: LinkID, didTransmit count: Int, for token: TransmitToken) {
        guard let sent = self.updatesOnLink[link] else { return }
        for number in max(1, sent - count + 1)...max(1, sent) where self.meet(.afterNotification(number), on: link) {}
    }
}

extension ScriptedPeripheral.Service {
    /// What the GATT server publishes.
    fileprivate var definition: GATTServiceDefinition {
        GATTServiceDefinition(
            uuid: BluetoothUUID(self.uuid).attForm,
            isPrimary: self.isPrimary,
            characteristics: self.characteristics.map(\.gattDefinition)
        )
    }
}

extension ScriptedPeripheral.Characteristic {
    fileprivate var gattDefinition: GATTCharacteristicDefinition {
        let requirement = SecurityRequirement(level: self.security.level)
        var permissions: AttributePermissions = []
        if self.properties.contains(.read) { permissions.read = requirement }
        if !self.properties.isDisjoint(with: [.write, .writeWithoutResponse]) { permissions.write = requirement }
        return GATTCharacteristicDefinition(
            uuid: BluetoothUUID(self.uuid).attForm,
            properties: CharacteristicProperties(rawValue: UInt8(truncatingIfNeeded: self.properties.rawValue & 0xFF)),
            permissions: permissions,
            subscriptionSecurity: requirement,
            descriptors: self.userDescription.map {
                [GATTDescriptorDefinition(uuid: 0x2901, value: ByteBuffer(string: $0))]
            } ?? []
        )
    }
}

extension BluetoothUUID {
    /// The value of Core Bluetooth's object.
    fileprivate init(_ uuid: CBUUID) {
        guard let value = BluetoothUUID(uuid.uuidString) else { preconditionFailure("\(uuid) is no UUID") }
        self = value
    }
}

extension ATTErrorCode {
    fileprivate init(_ code: CBATTError.Code) {
        // Success is no error; a script that asks for it gets the one that says nothing.
        self = UInt8(exactly: code.rawValue).flatMap { $0 == 0 ? nil : ATTErrorCode(rawValue: $0) } ?? .unlikelyError
    }
}

/// Foundation has a class of this name, too.
