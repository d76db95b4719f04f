// The app's side of the published database: the app's own objects by handle.

import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore

/// The services that one manager has published.
///
/// Guarded by the manager's lock.
struct LocalDatabase {
    private struct Entry {
        let token: LocalServiceToken
        let service: CBMutableService
        /// The characteristics as they were when the service was added, in order.
        let characteristics: [CBMutableCharacteristic]
        var range: AttributeHandleRange?
    }

    private var entries: [Entry] = []
    private var nextNumber: UInt32 = 1
    private var characteristics = HandleTable<CBMutableCharacteristic>()

    /// The token of a service that was added.
    func token(of service: CBService) -> LocalServiceToken? {
        self.entries.first { $0.service === service }?.token
    }

    /// The service with a token.
    func service(_ token: LocalServiceToken) -> CBMutableService? {
        self.entries.first { $0.token == token }?.service
    }

    /// The app's object for a value handle.
    @inline(__always)
    func characteristic(_ handle: AttributeHandle) -> CBMutableCharacteristic? { self.characteristics[handle] }

    /// All published characteristics, lowest handle first.
    var allCharacteristics: [CBMutableCharacteristic] { Array(self.characteristics.all) }

    /// Notes a service that is about to be published; one that was added before keeps its token.
    mutating func insert(_ service: CBMutableService, _ characteristics: [CBMutableCharacteristic]) -> LocalServiceToken
    {
        let token: LocalServiceToken
        if let known = self.token(of: service) {
            token = known
            for characteristic in self.remove(known) {
                characteristic.lock.withLock { characteristic.subscribedStorage = [] }
            }
        } else {
            token = LocalServiceToken(number: self.nextNumber)
            self.nextNumber += 1
        }
        self.entries.append(Entry(token: token, service: service, characteristics: characteristics))
        return token
    }

    /// Notes a service that is published under a token already.
    mutating func insertPublished(
        _ service: CBMutableService,
        _ characteristics: [CBMutableCharacteristic],
        _ token: LocalServiceToken
    ) {
        self.entries.append(Entry(token: token, service: service, characteristics: characteristics))
        self.nextNumber = max(self.nextNumber, token.number + 1)
    }

    /// A service was published.
    mutating func published(_ token: LocalServiceToken, _ handles: GATTServiceHandles) {
        guard let index = self.entries.firstIndex(where: { $0.token == token }) else { return }
        self.entries[index].range = handles.range
        for (characteristic, handles) in zip(self.entries[index].characteristics, handles.characteristics) {
            characteristic.lock.withLock { characteristic.publishedHandle = handles.value }
            self.characteristics[handles.value] = characteristic
        }
    }

    /// Removes a service; returns its characteristics.
    mutating func remove(_ token: LocalServiceToken) -> [CBMutableCharacteristic] {
        guard let index = self.entries.firstIndex(where: { $0.token == token }) else { return [] }
        let entry = self.entries.remove(at: index)
        guard let range = entry.range else { return [] }
        return self.characteristics.remove(in: range)
    }

    /// Removes all services; returns their characteristics.
    mutating func removeAll() -> [CBMutableCharacteristic] {
        let all = Array(self.characteristics.all)
        self.entries = []
        self.characteristics = HandleTable()
        return all
    }
}

/// The centrals that one manager's app knows.
///
/// Guarded by the manager's lock.
struct KnownCentrals {
    private struct WeakCentral {
        weak var central: CBCentral?
    }

    /// The connected centrals.
    private var connected: [(link: LinkID, central: CBCentral)] = []
    /// The centrals that the app may still retain, so that a central that connects again is the same object.
    private var remembered: [UUID: WeakCentral] = [:]

    /// The central at the other end of a link.
    @inline(__always)
    subscript(link: LinkID) -> CBCentral? {
        for entry in self.connected where entry.link == link { return entry.central }
        return nil
    }

    /// A central connected. Returns the object that it had before, else a new one.
    mutating func insert(_ link: LinkID, _ peer: PeerDescription) -> CBCentral {
        let central =
            self.remembered[peer.identifier]?.central ?? CBCentral(identifier: peer.identifier, lock: ObjectLock())
        if self.remembered.count > 256 { self.remembered = self.remembered.filter { $0.value.central != nil } }
        self.remembered[peer.identifier] = WeakCentral(central: central)
        self.connected.append((link, central))
        return central
    }

    /// A central disconnected.
    mutating func remove(_ link: LinkID) -> CBCentral? {
        guard let index = self.connected.firstIndex(where: { $0.link == link }) else { return nil }
        return self.connected.remove(at: index).central
    }

    /// All centrals disconnected.
    mutating func removeAll() -> [CBCentral] {
        defer { self.connected = [] }
        return self.connected.map(\.central)
    }
}
