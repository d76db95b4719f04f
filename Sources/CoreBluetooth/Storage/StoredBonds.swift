// The bonds of all devices that this user has been, as they are on disk: for a tool that lists and removes them, also
// while programs run that have them.

import BluetoothAirService
package import BluetoothHost
import BluetoothTransport
package import BluetoothTypes
import Foundation
import Logging

/// A bond on disk.
package struct StoredBond: Sendable {
    /// The address of the device that has the bond.
    package var owner: DeviceAddress
    /// What that device is called: an identity of an air, such as `alice` or `eightball 2`; `nil` for an adapter.
    package var ownerName: String?
    /// The identity address of the other device.
    package var peer: DeviceAddress
    /// What ``CBPeer/identifier`` is for it; `nil` where none is kept.
    package var identifier: UUID?
    /// The name that it advertises, as a scan shows it, else its GAP Device Name; `nil` where none is known.
    package var name: String?
    /// The key.
    package var key: LinkSecurity.Key
    /// When the devices paired, in whole seconds; `nil` where that is not known.
    package var paired: Date?
    /// When a link was last encrypted with the key, in whole seconds; `nil` for never.
    package var lastUsed: Date?
    /// Where it is kept.
    var folder: String
}

/// The bonds on disk.
package enum StoredBonds {
    /// All of them, by their owners' names and then by their own.
    ///
    /// - Throws: `TransportError` where the place of what is kept cannot be used.
    package static func all() throws -> [StoredBond] {
        let state = try PrivateFolder.state().path
        let names = try AirIdentityStore(logger: Logger(label: "bluetooth.bonds")).names()
        return try self.all(in: state, names: names)
    }

    /// Those in a folder of state, whose owners have these names.
    static func all(in state: String, names: [DeviceAddress: String]) throws -> [StoredBond] {
        var bonds: [StoredBond] = []
        for folder in try FileManager.default.contentsOfDirectory(atPath: state) {
            // An adapter's folder has the name of its address.
            guard let random = DeviceAddress(folder, kind: .random), let fixed = DeviceAddress(folder, kind: .public)
            else { continue }
            let storage = try FolderStorage(folder: "\(state)/\(folder)")
            let records = IdentityFile(storage).load()
            for kept in storage.bonds() {
                let peer = kept.bond.identityAddress.withoutIdentity
                let record = records.first { $0.address == peer }
                bonds.append(
                    StoredBond(
                        owner: names[random] == nil ? fixed : random,
                        ownerName: names[random],
                        peer: peer,
                        identifier: record?.identifier,
                        name: record?.advertisedName ?? record?.deviceName,
                        key: kept.bond.key,
                        paired: kept.paired,
                        lastUsed: storage.lastUse(ofBondWith: peer),
                        folder: storage.folder
                    )
                )
            }
        }
        return bonds.sorted { ($0.ownerName ?? "", $0.name ?? "") < ($1.ownerName ?? "", $1.name ?? "") }
    }

    /// Removes a bond, and what is kept with it of the peer's client. A program that has it forgets it with the next
    /// connection.
    ///
    /// - Throws: `TransportError` where it cannot be removed.
    package static func remove(_ bond: StoredBond) throws {
        let storage = try FolderStorage(folder: bond.folder)
        try storage.withLock { try storage.removeBond(with: bond.peer) }
    }
}
