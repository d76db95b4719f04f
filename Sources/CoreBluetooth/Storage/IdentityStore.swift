// Maps remote devices to the random identifiers of Core Bluetooth's interface, with their addresses and last known
// names. Used on the event loop and on the managers' queues.

import BluetoothTypes
import Foundation
import NIOConcurrencyHelpers
import NIOCore

/// The known remote devices of one adapter.
final class IdentityStore: Sendable {
    /// A known device.
    struct Record: Hashable, Sendable {
        var identifier: UUID
        var address: DeviceAddress
        /// The GAP Device Name, if it was read.
        var deviceName: String?
        /// The last advertised name, which may be a shortened one.
        var advertisedName: String?
        /// Whether the address was never heard on the air, but claimed by the device when it paired.
        var isClaimed = false

        /// The name for apps: no advertised name replaces the GAP Device Name.
        var name: String? { self.deviceName ?? self.advertisedName }
    }

    /// Where identifiers come from.
    enum Randomness: Sendable {
        case system
        /// Equal seeds give equal identifiers, for runs in virtual time.
        case seeded(UInt64)
    }

    fileprivate struct State {
        var records: [DeviceAddress: Record] = [:]
        var addresses: [UUID: DeviceAddress] = [:]
        /// The addresses, the longest known first.
        var order: [DeviceAddress] = []
        var seeded: SeededGenerator?
        var file: IdentityFile?
        var isSaving = false
        /// The addresses of bonded devices, which are never forgotten.
        var bonded: Set<DeviceAddress> = []
    }

    /// The number of devices in memory; the longest known ones are forgotten first.
    static let capacity = 8192

    private let state: NIOLockedValueBox<State>
    private let saving = DispatchQueue(label: "corebluetooth.identities", qos: .utility)

    /// An empty store that is not written to disk.
    init(randomness: Randomness = .system) {
        var state = State()
        if case .seeded(let seed) = randomness { state.seeded = SeededGenerator(seed: seed) }
        self.state = NIOLockedValueBox(state)
    }

    /// Adds a file's records, and writes to it from now on.
    func open(_ file: IdentityFile) {
        let known = file.load()
        self.state.withLockedValue { state in
            for record in known where state.records[record.address] == nil && state.addresses[record.identifier] == nil
            {
                state.add(record)
            }
            state.file = file
        }
    }

    /// A device's record; a new device gets its identifier here.
    func record(for address: DeviceAddress) -> Record {
        let (record, mustSave) = self.state.withLockedValue { state in
            if let record = state.records[address] { return (record, false) }
            var identifier = UUID(random: state.next(), state.next())
            while state.addresses[identifier] != nil { identifier = UUID(random: state.next(), state.next()) }
            let record = Record(identifier: identifier, address: address)
            state.add(record)
            return (record, state.beginSaving(address))
        }
        if mustSave { self.save() }
        return record
    }

    /// Whether a device was heard under an address, so that no other one may claim it without consent.
    func hasMet(_ address: DeviceAddress) -> Bool {
        self.state.withLockedValue { $0.records[address].map { !$0.isClaimed } ?? false }
    }

    /// Sets the bonded devices.
    func setBonded(_ addresses: Set<DeviceAddress>) { self.state.withLockedValue { $0.bonded = addresses } }

    /// Adds a device's record unless the device is known; returns its record then.
    func restore(_ record: Record) -> Record {
        let mustSave = self.state.withLockedValue { state in
            guard state.records[record.address] == nil, state.addresses[record.identifier] == nil else { return false }
            state.add(record)
            return state.beginSaving(record.address)
        }
        if mustSave { self.save() }
        return self.record(for: record.address)
    }

    /// The device with a private address has told its identity address, so its record moves there and keeps the
    /// identifier that apps know. On disk before this returns.
    ///
    /// An earlier record of the identity address was for the same device, unrecognized; it is removed.
    @discardableResult
    func move(_ address: DeviceAddress, to identity: DeviceAddress) -> Record {
        var record = self.record(for: address)
        guard address != identity else { return record }
        let mustSave = self.state.withLockedValue { state in
            record = state.records[address] ?? record
            record.address = identity
            record.isClaimed = true
            state.remove(address)
            state.remove(identity)
            state.add(record)
            return state.beginSaving(identity)
        }
        if mustSave { self.save() }
        self.flush()
        return record
    }

    /// The record of the device with an identifier.
    func record(for identifier: UUID) -> Record? {
        self.state.withLockedValue { state in state.addresses[identifier].flatMap { state.records[$0] } }
    }

    /// Stores the name that a device advertises, or the GAP Device Name, which takes precedence.
    ///
    /// - Returns: Whether the name for apps has changed.
    @discardableResult
    func setName(_ name: String, isDeviceName: Bool = false, of address: DeviceAddress) -> Bool {
        let (isNew, mustSave) = self.state.withLockedValue { state in
            let kind = isDeviceName ? \Record.deviceName : \Record.advertisedName
            guard let before = state.records[address], before[keyPath: kind] != name else { return (false, false) }
            var record = before
            record[keyPath: kind] = name
            state.records[address] = record
            return (record.name != before.name, state.beginSaving(address))
        }
        if mustSave { self.save() }
        return isNew
    }

    /// Waits until everything known is on disk.
    func flush() { self.saving.sync {} }

    /// Stores nothing more, as if the process had been killed.
    func close() {
        let (file, records) = self.state.withLockedValue { state in
            defer { state.file = nil }
            return (state.isSaving ? state.file : nil, state.recordsWorthKeeping)
        }
        // A memory storage's file always returned the present records; freeze it now.
        if let file, file.storage.isImmediate { file.keep { records } }
    }

    private func save() {
        let file = self.state.withLockedValue { $0.file }
        guard let file, file.storage.isImmediate else { return self.saving.async { self.saveNow() } }
        // Once is enough, since the document is made when it is read. So `isSaving` stays true.
        let state = self.state
        file.keep { state.withLockedValue { $0.recordsWorthKeeping } }
    }

    private func saveNow() {
        let (file, records) = self.state.withLockedValue { state in
            state.isSaving = false
            return (state.file, state.recordsWorthKeeping)
        }
        file?.save(records)
    }
}

extension IdentityStore.State {
    /// The records to write, the longest known first, and bonded devices at the end, so that they are kept.
    fileprivate var recordsWorthKeeping: [IdentityStore.Record] {
        let order = self.order.filter { !self.bonded.contains($0) } + self.order.filter(self.bonded.contains)
        return order.compactMap { $0.isWorthKeeping ? self.records[$0] : nil }
    }

    fileprivate mutating func next() -> UInt64 {
        guard var generator = self.seeded else { return UInt64.random(in: .min ... .max) }
        defer { self.seeded = generator }
        return generator.next()
    }

    fileprivate mutating func add(_ record: IdentityStore.Record) {
        if self.order.count >= IdentityStore.capacity {
            // An eighth at a time, so that a new device is cheap even if there are many.
            let bonded = self.bonded
            let forgotten = Set(self.order.lazy.filter { !bonded.contains($0) }.prefix(IdentityStore.capacity / 8))
            for address in forgotten {
                if let old = self.records.removeValue(forKey: address) { self.addresses[old.identifier] = nil }
            }
            self.order.removeAll { forgotten.contains($0) }
        }
        self.records[record.address] = record
        self.addresses[record.identifier] = record.address
        self.order.append(record.address)
    }

    fileprivate mutating func remove(_ address: DeviceAddress) {
        guard let record = self.records.removeValue(forKey: address) else { return }
        self.addresses[record.identifier] = nil
        self.order.removeAll { $0 == address }
    }

    /// Whether a change of this device must start a save: not if one is already scheduled.
    fileprivate mutating func beginSaving(_ address: DeviceAddress) -> Bool {
        guard self.file != nil, address.isWorthKeeping, !self.isSaving else { return false }
        self.isSaving = true
        return true
    }
}

extension DeviceAddress {
    /// Whether the device can be recognized by this address: private addresses change.
    var isWorthKeeping: Bool {
        switch self.randomKind {
        case nil, .static: true
        case .resolvablePrivate, .nonResolvablePrivate, .reserved: false
        }
    }
}

extension UUID {
    /// A random UUID (version 4) from 128 random bits.
    init(random high: UInt64, _ low: UInt64) {
        let words = (
            (high & ~0xF000 | 0x4000).bigEndian,
            (low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000).bigEndian
        )
        self.init(uuid: withUnsafeBytes(of: words) { $0.loadUnaligned(as: uuid_t.self) })
    }
}
