// The identities of remote devices in the storage of an adapter: `identities.json`. Several processes may share it, so
// it is read and written under the storage's lock; a file that cannot be read is set aside.

import BluetoothTypes
import Foundation

/// The file in which an adapter's identities are stored.
struct IdentityFile: Sendable {
    /// Where the file is.
    let storage: any StateStorage

    /// The number of stored devices: the most recently heard.
    static let capacity = 2048
    static let name = "identities.json"
    private static let version = 1

    /// The file in a storage.
    init(_ storage: any StateStorage) { self.storage = storage }

    private struct Document: Codable {
        struct Peer: Codable {
            var address: String
            var kind: String
            var identifier: UUID
            var name: String?
            /// Whether the name is the GAP Device Name; missing for an advertised one.
            var isDeviceName: Bool?
            /// The advertised name of a device whose name is the GAP Device Name.
            var advertisedName: String?
            /// Whether the device has claimed the address when it paired; missing for one that was heard on the air.
            var isClaimed: Bool?
        }
        var version: Int
        var peers: [Peer]
    }

    /// The file's records; none if there is no file or it cannot be read.
    func load() -> [IdentityStore.Record] {
        let document = self.storage.decode(Self.name) { data in
            let document = try JSONDecoder().decode(Document.self, from: data)
            guard document.version == Self.version else { throw StateVersionError(found: document.version) }
            return document
        }
        return (document?.peers ?? []).compactMap { peer in
            let kind: DeviceAddress.Kind
            switch peer.kind {
            case "public": kind = .public
            case "random": kind = .random
            default: return nil
            }
            return DeviceAddress(peer.address, kind: kind).map {
                let hasDeviceName = peer.isDeviceName ?? false
                return IdentityStore.Record(
                    identifier: peer.identifier,
                    address: $0,
                    deviceName: hasDeviceName ? peer.name : nil,
                    advertisedName: hasDeviceName ? peer.advertisedName : peer.name,
                    isClaimed: peer.isClaimed ?? false
                )
            }
        }
    }

    /// Writes the records, the most recent if there are too many, merged with records that another process has added.
    func save(_ records: [IdentityStore.Record]) {
        do {
            try self.storage.withLock {
                let known = Set(records.map(\.address))
                let others = self.load().filter { !known.contains($0.address) }
                try self.storage.write(Self.document(of: others + records), to: Self.name)
            }
        } catch {
            Notice.once("cannot keep identities: \(error)")
        }
    }

    /// Makes a memory storage's file return `records` when it is read.
    ///
    /// Such a storage belongs to one adapter at a time, which has loaded its content.
    func keep(_ records: @escaping @Sendable () -> [IdentityStore.Record]) {
        do {
            try self.storage.write(Self.name, .powerFailure) { try Self.document(of: records()) }
        } catch {
            Notice.once("cannot keep identities: \(error)")
        }
    }

    private static func document(of records: [IdentityStore.Record]) throws -> Data {
        let peers = records.suffix(Self.capacity).map { record in
            Document.Peer(
                address: record.address.description,
                kind: record.address.storedKind,
                identifier: record.identifier,
                name: record.name,
                isDeviceName: record.deviceName == nil ? nil : true,
                advertisedName: record.deviceName == nil ? nil : record.advertisedName,
                isClaimed: record.isClaimed ? true : nil
            )
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return try encoder.encode(Document(version: Self.version, peers: peers))
    }
}
