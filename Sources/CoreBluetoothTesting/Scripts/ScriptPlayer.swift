// The host of a scripted device: publishes the script's services, and answers and fails as the script says.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import NIOCore

/// The host of a scripted device.
final class ScriptPlayer {
    /// The state of a characteristic.
    struct Entry {
        var definition: ScriptedPeripheral.Characteristic
        var value: Data
        var subscribers: [LinkID] = []
        var updateNumber = 0
        var timer: Scheduled<Void>?
        /// Its behaviour in a capture.
        var replay: CharacteristicReplay?

        init(_ definition: ScriptedPeripheral.Characteristic) {
            self.definition = definition
            self.value = definition.value
            self.replay = definition.recording.map(CharacteristicReplay.init)
        }
    }

    /// The state of a descriptor.
    struct DescriptorEntry {
        var definition: ScriptedPeripheral.Descriptor
        var value: Data
    }

    unowned let device: ScriptedDevice
    let host: LEHost
    /// The keys of paired centrals, by their identity addresses.
    var bonds: [DeviceAddress: Bond] = [:]
    private(set) var services: [ScriptedPeripheral.Service]
    private var published: [AttributeHandle] = []
    var entries: [AttributeHandle: Entry] = [:]
    var descriptors: [AttributeHandle: DescriptorEntry] = [:]
    /// The characteristics of Client Characteristic Configurations.
    private(set) var configurations: [AttributeHandle: AttributeHandle] = [:]
    /// The answers of `onRead` to the first request of a long read, on each link; further requests get parts of them.
    var answeredValues: [LinkID: [AttributeHandle: Data]] = [:]
    /// The handles in the order of the script.
    private(set) var handles: [AttributeHandle] = []
    private(set) var links: [LinkID] = []
    /// Open L2CAP channels.
    var channels: [L2CAPChannelID: ScriptedChannel] = [:]
    /// The number of writes without response being processed.
    var bufferedWrites = 0
    private(set) var updatesOnLink: [LinkID: Int] = [:]
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
                usesExtendedAdvertising: device.isPreset ? nil : true,
                genericAttribute: device.script.genericAttribute.content,
                pairing: device.script.pairing
            )
        )
        self.host.delegate = self
        self.publish()
        self.listen()
    }

    // MARK: Life cycle

    func attach(_ channel: WatchedChannel) {
        let latency = self.device.script.latency
        self.host.attach(to: latency > .zero ? DelayingHCIChannel(channel, by: TimeAmount(latency)) : channel)
    }

    func detach() {
        self.host.detach()
        self.forgetLinks()
    }

    func disconnect() { for link in self.links { self.host.disconnect(link) } }

    func requestConnectionParameters(_ parameters: ConnectionParameters) {
        for link in self.links { self.host.requestConnectionParameters(parameters, of: link) }
    }

    private func forgetLinks() {
        self.links = []
        self.updatesOnLink = [:]
        self.answeredValues = [:]
        self.bufferedWrites = 0
        for channel in self.channels.values { channel.isOpen = false }
        self.channels = [:]
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
        self.descriptors = [:]
        self.configurations = [:]
        self.answeredValues = [:]
        self.handles = []
        self.services = services
        self.publish()
        self.updateAdvertising()
    }

    /// Publishes each service after those that it includes.
    private func publish() {
        var handles: [CBUUID: AttributeHandle] = [:]
        for service in ScriptedPeripheral.publishingOrder(self.services).order {
            do {
                let added = try self.host.addService(service.definition(including: handles))
                self.published.append(added.range.lowerBound)
                if handles[service.uuid] == nil { handles[service.uuid] = added.range.lowerBound }
                for (definition, characteristic) in zip(service.characteristics, added.characteristics) {
                    self.add(definition, characteristic)
                }
            } catch {
                self.device.reportMistake("the service \(service.uuid.uuidString) cannot be: \(error)")
            }
        }
        self.handles.sort()
    }

    private func add(
        _ definition: ScriptedPeripheral.Characteristic,
        _ characteristic: GATTServiceHandles.Characteristic
    ) {
        self.handles.append(characteristic.value)
        self.entries[characteristic.value] = Entry(definition)
        if let configuration = characteristic.clientConfiguration {
            self.configurations[configuration] = characteristic.value
        }
        // The server manages the user description, which comes first if there is one.
        for (descriptor, handle) in zip(definition.descriptors.reversed(), characteristic.descriptors.reversed()) {
            self.descriptors[handle] = DescriptorEntry(definition: descriptor, value: descriptor.value)
        }
    }

    // MARK: Values

    private func handle(of characteristic: CBUUID) -> AttributeHandle? {
        self.handles.first { self.entries[$0]?.definition.uuid == characteristic }
    }

    func definition(of characteristic: CBUUID) -> ScriptedPeripheral.Characteristic? {
        self.handle(of: characteristic).flatMap { self.entries[$0]?.definition }
    }

    func value(of characteristic: CBUUID) -> Data? {
        self.handle(of: characteristic).flatMap { self.entries[$0]?.value }
    }

    /// The value of a characteristic or a descriptor.
    func value(at handle: AttributeHandle) -> Data {
        self.descriptors[handle]?.value ?? self.entries[handle]?.value ?? Data()
    }

    func setValue(_ value: Data, at handle: AttributeHandle) {
        self.descriptors[handle]?.value = value
        self.entries[handle]?.value = value
    }

    /// The characteristics in the order of their handles.
    var characteristics: [CBUUID] { self.handles.compactMap { self.entries[$0]?.definition.uuid } }

    /// Sets a value; returns `false` if there is no such characteristic.
    func setValue(_ value: Data, of characteristic: CBUUID) -> Bool {
        guard let handle = self.handle(of: characteristic) else { return false }
        self.entries[handle]?.value = value
        return true
    }

    /// Whether a central is subscribed; `nil` if there is no such characteristic.
    func hasSubscriber(_ characteristic: CBUUID) -> Bool? {
        self.handle(of: characteristic).flatMap { self.entries[$0] }.map { !$0.subscribers.isEmpty }
    }

    /// Sets and sends a value; returns the number of receivers, or `nil` if there is no such characteristic.
    func notify(_ value: Data, _ characteristic: CBUUID) -> Int? {
        guard self.setValue(value, of: characteristic), let handle = self.handle(of: characteristic) else { return nil }
        self.notify(handle)
        guard let entry = self.entries[handle] else { return 0 }
        return entry.definition.needsNoSubscription ? self.links.count : entry.subscribers.count
    }

    private func notify(_ handle: AttributeHandle) {
        guard let entry = self.entries[handle] else { return }
        let value = ByteBuffer(bytes: entry.value)
        self.entries[handle]?.replay?.sent(value)
        for link in entry.subscribers {
            self.host.notify(value, characteristic: handle, to: link)
            self.device.updateCount += 1
        }
        guard entry.definition.needsNoSubscription else { return }
        for link in self.links where !entry.subscribers.contains(link) {
            self.host.notifyUnconditionally(value, characteristic: handle, to: link)
            self.device.updateCount += 1
        }
    }

    /// Sets and sends a value.
    func send(_ value: Data, of handle: AttributeHandle) {
        self.entries[handle]?.value = value
        self.notify(handle)
    }

    private func startUpdates(_ handle: AttributeHandle) {
        guard let entry = self.entries[handle], let updates = entry.definition.updates, entry.timer == nil else {
            return
        }
        self.entries[handle]?.updateNumber = 0
        self.scheduleUpdate(handle, updates)
    }

    /// Whether a central receives a characteristic's updates.
    private func hasListener(_ entry: Entry) -> Bool {
        !entry.subscribers.isEmpty || entry.definition.needsNoSubscription && !self.links.isEmpty
    }

    private func stopUpdatesWithoutListener(_ handle: AttributeHandle) {
        guard let entry = self.entries[handle], !self.hasListener(entry) else { return }
        entry.timer?.cancel()
        self.entries[handle]?.timer = nil
    }

    private func scheduleUpdate(_ handle: AttributeHandle, _ updates: ScriptedPeripheral.Updates) {
        let number = self.entries[handle]?.updateNumber ?? 0
        guard let delay = updates.delay(before: number) else {
            if let entry = self.entries[handle], entry.definition.recording != nil, number > 0 {
                self.device.note("has sent all values of \(entry.definition.uuid.uuidString) that the capture has")
            }
            return
        }
        let timer = self.host.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(delay)) { [weak self] in
            guard let self, let number = self.entries[handle]?.updateNumber else { return }
            // The closure may use the device, and even switch it off.
            let value = updates.value(number)
            guard let entry = self.entries[handle], self.hasListener(entry) else {
                self.entries[handle]?.timer = nil
                return
            }
            self.entries[handle]?.value = value
            self.entries[handle]?.updateNumber += 1
            self.notify(handle)
            self.scheduleUpdate(handle, updates)
        }
        self.entries[handle]?.timer = timer
    }

    // MARK: Faults

    /// Carries out the fault of a step; returns whether there is one.
    func meet(_ step: ScriptedPeripheral.Step, on link: LinkID) -> Bool {
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
            // Not during a turn of the host.
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
}

extension ScriptPlayer: LEHostDelegate {
    func host(_ host: LEHost, didChange state: LEHostState) {
        switch state {
        case .ready: self.updateAdvertising()
        case .detached, .starting, .failed, .unsupported: self.forgetLinks()
        }
    }

    func host(_ host: LEHost, didConnect link: LinkInformation) {
        self.links.append(link.id)
        for handle in self.handles where self.entries[handle]?.definition.needsNoSubscription == true {
            self.startUpdates(handle)
        }
        self.device.script.onConnection?(self.device)
        _ = self.meet(.onConnection, on: link.id)
        self.scheduleFaults(on: link.id)
    }

    func host(_ host: LEHost, didDisconnect link: LinkInformation, reason: HCIErrorCode) {
        self.links.removeAll { $0 == link.id }
        self.updatesOnLink[link.id] = nil
        self.answeredValues[link.id] = nil
        for handle in self.handles { self.stopUpdatesWithoutListener(handle) }
        self.device.script.onDisconnection?(self.device)
    }

    func host(_ host: LEHost, link: LinkID, didSubscribe isSubscribed: Bool, toCharacteristic handle: AttributeHandle) {
        guard let entry = self.entries[handle] else { return }
        self.entries[handle]?.subscribers.removeAll { $0 == link }
        defer { entry.definition.onSubscription?(isSubscribed, self.device) }
        guard isSubscribed else { return self.stopUpdatesWithoutListener(handle) }
        self.entries[handle]?.subscribers.append(link)
        if self.meet(.onSubscription(to: entry.definition.uuid), on: link) { return }
        self.noteUnseenSubscription(entry)
        self.startUpdates(handle)
    }

    func host(_ host: LEHost, link: LinkID, didTransmit count: Int, for token: TransmitToken) {
        guard self.links.contains(link) else { return }
        let before = self.updatesOnLink[link] ?? 0
        self.updatesOnLink[link] = before + count
        for number in before..<before + count where self.meet(.afterNotification(number + 1), on: link) {}
    }
}
