// The devices of an adapter. A device that BlueZ hears has a beacon; a device that our host connects to has a
// connection and, once BlueZ is connected, a mirror.

import BluetoothAir
import BluetoothTypes
import Logging
import NIOCore

/// The devices of an adapter of BlueZ.
final class DeviceTable {
    private struct Entry {
        var connection: MirroredConnection
        var path: String?
        var mirror: DeviceMirror?
        /// Counts delays, of which the last one counts.
        var delayNumber = 0
        /// Whether BlueZ gave a timeout as the reason of the disconnection.
        var isTimeout = false
    }

    private let adapter: String
    private let calls: BlueZCalls
    private let air: Air
    private let controller: VirtualController
    /// BlueZ's objects; the owner updates them.
    var tree: ObjectTree
    private var discovery = Discovery()
    private var isScanning = false
    /// The number of recent calls of Connect.
    private var recentConnectCount = 0
    private var wanted: Set<DeviceAddress> = []
    private var beacons: [String: Beacon] = [:]
    private var entries: [DeviceAddress: Entry] = [:]
    private var isOpen = true
    /// Called with the path of a device that has refused a request because it is not paired.
    var onRefusal: ((String) -> Void)?

    /// The kernel gives up after 20 s, or 40 s for what it does after that.
    private static let connectTimeout = TimeAmount.seconds(60)
    /// Many controllers do not connect while they scan, so discovery stops for the first moments of an attempt. A
    /// device that is there answers by then; one that is absent must not keep others from being found.
    private static let discoveryPause = TimeAmount.seconds(2)
    /// More devices than these are not heard.
    private static let beaconLimit = 1_024

    init(
        _ adapter: String,
        _ tree: ObjectTree,
        _ calls: BlueZCalls,
        _ air: Air,
        _ controller: VirtualController
    ) {
        self.adapter = adapter
        self.tree = tree
        self.calls = calls
        self.air = air
        self.controller = controller
    }

    private var eventLoop: any EventLoop { self.air.eventLoop }

    /// Stops all calls to BlueZ and removes the mirrors.
    func close() {
        self.isOpen = false
        for entry in self.entries.values { entry.mirror?.withdraw(isTimeout: true) }
        self.entries = [:]
        self.beacons = [:]
    }

    // MARK: Wishes of our host

    func update(wanted: Set<DeviceAddress>, isScanning: Bool) {
        let hasBegun = isScanning && !self.isScanning
        self.isScanning = isScanning
        if wanted != self.wanted {
            let before = self.wanted
            self.wanted = wanted
            for address in before.subtracting(wanted) { self.step(address) { $0.setWanted(false) } }
            for address in wanted.subtracting(before) {
                if self.entries[address] == nil { self.entries[address] = self.makeEntry(address) }
                self.step(address) { $0.setWanted(true) }
            }
        }
        self.updateDiscovery()
        // Devices that another program's discovery has found are there already.
        if hasBegun { for path in self.tree.paths(with: BlueZ.device) { self.advertise(path) } }
    }

    private func makeEntry(_ address: DeviceAddress) -> Entry {
        let found = self.find(address)
        return Entry(
            connection: MirroredConnection(
                isPresent: found != nil,
                isConnected: found?.device.isConnected ?? false,
                isResolved: found?.device.isResolved ?? false
            ),
            path: found?.path
        )
    }

    /// The devices of the adapter that BlueZ is connected to; `authenticated` are the paths of those that have paired
    /// by a code.
    func connected(authenticated: Set<String>) -> [BlueZDevice] {
        self.tree.paths(with: BlueZ.device).compactMap { path in
            guard BlueZ.path(path, isBelow: self.adapter), let device = self.device(path), device.isConnected else {
                return nil
            }
            return BlueZDevice(
                address: device.address,
                name: device.name,
                services: device.uuids,
                isPaired: device.isPaired,
                isAuthenticated: device.isPaired && authenticated.contains(path)
            )
        }
    }

    /// Whether our host is connected to a device, or wants to be.
    func isUsed(_ address: DeviceAddress) -> Bool { self.entries[address] != nil }

    /// The object of a device: its path may have an older address.
    func find(_ address: DeviceAddress) -> (path: String, device: DeviceProperties)? {
        for path in self.tree.paths(with: BlueZ.device) where BlueZ.path(path, isBelow: self.adapter) {
            if let device = self.device(path), device.address == address { return (path, device) }
        }
        return nil
    }

    /// BlueZ's properties of the device at a path.
    func device(_ path: String) -> DeviceProperties? {
        self.tree.properties(path, BlueZ.device).flatMap { DeviceProperties($0) }
    }

    // MARK: Reports of BlueZ

    /// An object below the adapter has changed; `names` are its changed properties, `nil` if it came or went.
    func changed(_ path: String, _ names: Set<String>?) {
        guard BlueZ.path(path, isBelow: self.adapter) else { return }
        guard let device = self.device(path) else {
            self.beacons[path] = nil
            return self.attributesChanged(path)
        }
        if names.map({ !$0.isDisjoint(with: DeviceProperties.advertised) }) ?? true { self.advertise(path) }
        if self.entries[device.address] != nil { self.entries[device.address]?.path = path }
        // After a pairing the object may have another address than the one that our host uses.
        for address in self.entries.filter({ $0.value.path == path }).keys { self.refresh(address) }
    }

    private func attributesChanged(_ path: String) {
        for (address, entry) in self.entries {
            guard let device = entry.path, path == device || BlueZ.path(path, isBelow: device) else { continue }
            if path == device { self.refresh(address) } else { self.scheduleUpdate(of: address) }
        }
    }

    /// Several objects change at once when services do.
    private func scheduleUpdate(of address: DeviceAddress) {
        guard self.entries[address]?.mirror != nil else { return }
        self.eventLoop.assumeIsolated().execute { [weak self] in
            guard let self, let entry = self.entries[address], let path = entry.path else { return }
            entry.mirror?.update(DeviceDatabase(of: path, in: self.tree))
        }
    }

    private func refresh(_ address: DeviceAddress) {
        guard let path = self.entries[address]?.path else { return }
        let device = self.device(path)
        self.step(address) {
            $0.update(
                isPresent: device != nil,
                isConnected: device?.isConnected ?? false,
                isResolved: device?.isResolved ?? false
            )
        }
        self.updateDiscovery()
    }

    /// BlueZ says why a device was disconnected, from 5.83 on.
    func disconnected(_ path: String, reason: String?) {
        for (address, entry) in self.entries where entry.path == path {
            self.entries[address]?.isTimeout = reason == "org.bluez.Reason.Timeout"
        }
    }

    /// A characteristic's value was notified or read.
    func received(_ value: ByteBuffer, of path: String) {
        for entry in self.entries.values {
            if let mirror = entry.mirror, BlueZ.path(path, isBelow: mirror.path) { mirror.received(value, of: path) }
        }
    }

    private func advertise(_ path: String) {
        guard self.isScanning, BlueZ.path(path, isBelow: self.adapter), let device = self.device(path),
            let rssi = device.rssi
        else { return }
        if self.beacons[path] == nil {
            guard self.beacons.count < Self.beaconLimit else { return }
            self.beacons[path] = Beacon(device.address, on: self.air, to: self.controller)
        } else if self.beacons[path]?.address != device.address {
            // It is known by its identity now.
            self.beacons[path] = Beacon(device.address, on: self.air, to: self.controller)
        }
        self.beacons[path]?.advertise(MirroredAdvertisement(device), rssi: rssi)
    }

    // MARK: Connections

    private func step(_ address: DeviceAddress, _ event: (inout MirroredConnection) -> [MirroredConnection.Action]) {
        guard self.isOpen, var connection = self.entries[address]?.connection else { return }
        let actions = event(&connection)
        self.entries[address]?.connection = connection
        for action in actions { self.perform(action, address) }
        guard let entry = self.entries[address], entry.connection.isForgettable, !self.wanted.contains(address) else {
            return
        }
        self.entries[address] = nil
    }

    private func perform(_ action: MirroredConnection.Action, _ address: DeviceAddress) {
        if case .schedule(let delay) = action { return self.schedule(delay, address) }
        guard let path = self.entries[address]?.path else { return }
        switch action {
        case .schedule: break
        case .connect:
            self.pauseDiscovery()
            self.calls.call(path, BlueZ.device, "Connect", timeout: Self.connectTimeout) { [weak self] result in
                self?.connectEnded(address, result)
            }
        case .disconnect: self.calls.call(path, BlueZ.device, "Disconnect")
        case .explore:
            // BlueZ sends all pending signals before it answers a call, so its objects are in the tree by then.
            let property: [BusValue] = [.string(BlueZ.device), .string("ServicesResolved")]
            self.calls.call(path, BlueZ.propertiesInterface, "Get", property) { [weak self] _ in
                self?.step(address) { $0.explored() }
            }
        case .offer:
            guard let device = self.device(path) else { return }
            let mirror = DeviceMirror(
                path,
                device,
                DeviceDatabase(of: path, in: self.tree),
                rssi: self.beacons[path]?.rssi,
                on: self.air,
                to: self.controller,
                calls: self.calls
            )
            mirror.owner = self
            self.entries[address]?.mirror = mirror
        case .withdraw:
            self.entries[address]?.mirror?.withdraw(isTimeout: self.entries[address]?.isTimeout ?? false)
            self.entries[address]?.mirror = nil
            self.entries[address]?.isTimeout = false
        }
    }

    private func schedule(_ delay: TimeAmount, _ address: DeviceAddress) {
        guard var entry = self.entries[address] else { return }
        entry.delayNumber += 1
        let number = entry.delayNumber
        self.entries[address] = entry
        self.eventLoop.assumeIsolated().scheduleTask(in: delay) { [weak self] () -> Void in
            guard let self, self.entries[address]?.delayNumber == number else { return }
            self.step(address) { $0.delayElapsed() }
            self.updateDiscovery()
        }
    }

    private func connectEnded(_ address: DeviceAddress, _ result: Result<BusMessage, BusFailure>) {
        switch result {
        case .success: self.reread(address) { $0.step(address) { $0.connectEnded(nil) } }
        case .failure(let failure):
            if failure.connectOutcome == .classic {
                Self.log.warning(
                    """
                    BlueZ connects to \(address) by Bluetooth Classic: set ControllerMode=le in \
                    /etc/bluetooth/main.conf
                    """
                )
            }
            Self.log.debug("BlueZ has not connected to \(address): \(failure.text.onOneLine)")
            self.step(address) { $0.connectEnded(failure.connectOutcome) }
        }
        self.updateDiscovery()
    }

    /// Reads a device's properties again: BlueZ does not report Connected if the socket is connected before the kernel
    /// says so (seen with 5.66).
    private func reread(_ address: DeviceAddress, then next: @escaping (DeviceTable) -> Void) {
        guard let path = self.entries[address]?.path else { return }
        self.calls.call(path, BlueZ.propertiesInterface, "GetAll", [.string(BlueZ.device)]) { [weak self] result in
            guard let self else { return }
            if case .success(let answer) = result { self.tree.read(answer.arguments, of: path, BlueZ.device) }
            self.refresh(address)
            next(self)
        }
    }

    private static let log = Logger(label: "bluetooth.bluez")

    // MARK: Discovery

    private func pauseDiscovery() {
        self.recentConnectCount += 1
        self.eventLoop.assumeIsolated().scheduleTask(in: Self.discoveryPause) { [weak self] () -> Void in
            self?.recentConnectCount -= 1
            self?.updateDiscovery()
        }
    }

    private func updateDiscovery() {
        let isNeeded = self.isScanning || self.entries.values.contains { $0.connection.needsDiscovery }
        self.discovery.isWanted = isNeeded && self.recentConnectCount == 0
        self.perform(self.discovery.next())
    }

    private func perform(_ action: Discovery.Action?) {
        guard self.isOpen, let action else { return }
        switch action {
        case .start:
            // Another program's pattern would hide devices. Duplicates repeat the data, not only the strength.
            self.setFilter(["Transport": .string("le"), "DuplicateData": .boolean(true), "Pattern": .string("")]) {
                self.calls.call(self.adapter, BlueZ.adapter, "StartDiscovery") { [weak self] result in
                    var isDone = true
                    if case .failure(let failure) = result { isDone = failure.name == "org.bluez.Error.InProgress" }
                    self?.perform(self?.discovery.answered(isDone))
                }
            }
        case .stop:
            self.calls.call(self.adapter, BlueZ.adapter, "StopDiscovery") { [weak self] _ in
                self?.perform(self?.discovery.answered(true))
            }
        case .retryLater:
            self.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) { [weak self] () -> Void in
                self?.perform(self?.discovery.retry())
            }
        }
    }

    /// Sets our filter, without the pattern if BlueZ rejects it.
    private func setFilter(_ filter: ObjectTree.Properties, then next: @escaping () -> Void) {
        self.calls.call(self.adapter, BlueZ.adapter, "SetDiscoveryFilter", [.properties(filter)]) {
            [weak self] result in
            guard case .failure(let failure) = result, filter["Pattern"] != nil, failure != .closed else {
                return next()
            }
            var shorter = filter
            shorter["Pattern"] = nil
            self?.setFilter(shorter, then: next)
        }
    }
}

extension DeviceTable: DeviceMirrorOwner {
    func mirrorDidConnect(_ mirror: DeviceMirror) { self.forEntry(of: mirror) { $0.linked() } }

    func mirrorDidDisconnect(_ mirror: DeviceMirror) { self.forEntry(of: mirror) { $0.linkEnded() } }

    func mirrorWasRefused(_ mirror: DeviceMirror) { self.onRefusal?(mirror.path) }

    private func forEntry(
        of mirror: DeviceMirror,
        _ event: (inout MirroredConnection) -> [MirroredConnection.Action]
    ) {
        guard let address = self.entries.first(where: { $0.value.mirror === mirror })?.key else { return }
        self.step(address, event)
        self.updateDiscovery()
    }
}
