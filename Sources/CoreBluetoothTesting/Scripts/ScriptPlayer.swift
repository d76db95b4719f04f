// The host of a scripted device: it publishes what the script says and answers as the script does, with its faults.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import NIOCore

/// The host of a scripted device.
final class ScriptPlayer {
    /// A characteristic.
    struct Entry {
        var definition: ScriptedPeripheral.Characteristic
        var value: Data
        var subscribers: [LinkID] = []
        var updateNumber = 0
        var timer: Scheduled<Void>?
        /// What its closure has answered the first request of a read with, on each link: the others read on in that.
        var answeredValues: [LinkID: Data] = [:]
        /// What it does as in a capture.
        var replay: CharacteristicReplay?

        init(_ definition: ScriptedPeripheral.Characteristic) {
            self.definition = definition
            self.value = definition.value
            self.replay = definition.recording.map(CharacteristicReplay.init)
        }
    }

    /// A descriptor whose value is the script's.
    struct DescriptorEntry {
        var definition: ScriptedPeripheral.Descriptor
        var value: Data
    }

    unowned let device: ScriptedDevice
    let host: LEHost
    /// The keys of centrals with which the device has paired, by their identity addresses.
    var bonds: [DeviceAddress: Bond] = [:]
    private(set) var services: [ScriptedPeripheral.Service]
    private var published: [AttributeHandle] = []
    var entries: [AttributeHandle: Entry] = [:]
    var descriptors: [AttributeHandle: DescriptorEntry] = [:]
    /// The handles in the order of the script.
    private(set) var handles: [AttributeHandle] = []
    private(set) var links: [LinkID] = []
    /// Open L2CAP channels.
    var channels: [L2CAPChannelID: ScriptedChannel] = [:]
    /// How many writes without response are being dealt with.
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

    // MARK: Life

    func attach(_ channel: WatchedChannel) {
        let latency = self.device.script.latency
        self.host.attach(to: latency > .zero ? DelayingHCIChannel(channel, by: TimeAmount(latency)) : channel)
    }

    func detach() {
        self.host.detach()
        self.forgetLinks()
    }

    func disconnect() { for link in self.links { self.host.disconnect(link) } }

    private func forgetLinks() {
        self.links = []
        self.updatesOnLink = [:]
        self.bufferedWrites = 0
        for channel in self.channels.values { channel.isOpen = false }
        self.channels = [:]
        for handle in self.handles {
            self.entries[handle]?.timer?.cancel()
            self.entries[handle]?.timer = nil
            self.entries[handle]?.subscribers = []
            self.entries[handle]?.answeredValues = [:]
        }
    }

    // MARK: Services

    func publish(_ services: [ScriptedPeripheral.Service]) {
        for service in self.published.reversed() { self.host.removeService(service) }
        for handle in self.handles { self.entries[handle]?.timer?.cancel() }
        self.published = []
        self.entries = [:]
        self.descriptors = [:]
        self.handles = []
        self.services = services
        self.publish()
        self.updateAdvertising()
    }

    /// Publishes each service behind those that it includes.
    private func publish() {
        var handles: [CBUUID: AttributeHandle] = [:]
        var waiting = self.services
        while !waiting.isEmpty {
            let uuids = Set(waiting.map(\.uuid))
            // Services that include each other cannot be; the script's mistakes say so.
            let index = waiting.firstIndex { uuids.isDisjoint(with: $0.includes) } ?? 0
            let service = waiting.remove(at: index)
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
        // The user description comes first, where there is one, and is the server's.
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

    /// Sends a value that has become that of a characteristic.
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

    /// Whether somebody gets what a characteristic sends.
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
            // The script may use its device, also to switch it off.
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

    /// Lets what goes wrong at a step go wrong; says whether something does.
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
        _ = self.meet(.onConnection, on: link.id)
        self.scheduleFaults(on: link.id)
    }

    func host(_ host: LEHost, didDisconnect link: LinkInformation, reason: HCIErrorCode) {
        self.links.removeAll { $0 == link.id }
        self.updatesOnLink[link.id] = nil
        for handle in self.handles {
            self.entries[handle]?.answeredValues[link.id] = nil
            self.stopUpdatesWithoutListener(handle)
        }
    }

    func host(_ host: LEHost, link: LinkID, didSubscribe isSubscribed: Bool, toCharacteristic handle: AttributeHandle) {
        guard let entry = self.entries[handle] else { return }
        self.entries[handle]?.subscribers.removeAll { $0 == link }
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
