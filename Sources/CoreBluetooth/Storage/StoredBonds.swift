// The stored bonds of all of this user's devices, for a tool that lists and removes them, even while programs use them.

import BluetoothAirService
import BluetoothBlueZ
package import BluetoothHost
import BluetoothTransport
package import BluetoothTypes
import Foundation
import Logging
import NIOCore
import NIOPosix

/// A bond on disk.
package struct StoredBond: Sendable {
    /// The address of the device that has the bond.
    package var owner: DeviceAddress
    /// That device's identity on an air, such as `alice` or `eightball 2`; `nil` for an adapter.
    package var ownerName: String?
    /// The identity address of the other device.
    package var peer: DeviceAddress
    /// Its ``CBPeer/identifier``; `nil` if none is stored.
    package var identifier: UUID?
    /// Its advertised name, as a scan shows it, else its GAP Device Name; `nil` if none is known.
    package var name: String?
    /// The key; `nil` if another program stores it and does not say how it was made.
    package var key: LinkSecurity.Key?
    /// All keys; `nil` if another program stores them.
    package var keys: Bond?
    /// When the devices paired, in whole seconds; `nil` if unknown.
    package var paired: Date?
    /// When a link was last encrypted with the key, in whole seconds; `nil` for never.
    package var lastUsed: Date?
    /// The folder of its storage.
    var folder: String
    /// The bond at BlueZ, if BlueZ has it.
    var system: BlueZBonds.Bond?
}

/// The bonds on disk.
package enum StoredBonds {
    /// All of them, by their owners' names and then by their own.
    ///
    /// - Throws: `TransportError` if the state folder cannot be used.
    package static func all() throws -> [StoredBond] {
        let state = try PrivateFolder.state().path
        let names = try AirIdentityStore(logger: Logger(label: "bluetooth.bonds")).names()
        return try self.all(in: state, names: names)
    }

    /// The bonds in a state folder, whose owners have these names.
    static func all(in state: String, names: [DeviceAddress: String]) throws -> [StoredBond] {
        var bonds: [StoredBond] = []
        for folder in try FileManager.default.contentsOfDirectory(atPath: state) {
            // An adapter's folder is named by its address.
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
                        keys: kept.bond,
                        paired: kept.paired,
                        lastUsed: storage.lastUse(ofBondWith: peer),
                        folder: storage.folder
                    )
                )
            }
        }
        return bonds.sorted { ($0.ownerName ?? "", $0.name ?? "") < ($1.ownerName ?? "", $1.name ?? "") }
    }

    /// The bonds of BlueZ's adapters.
    ///
    /// - Throws: `BlueZError` if BlueZ cannot be asked.
    package static func ofSystem() throws -> [StoredBond] {
        let state = try PrivateFolder.state().path
        return try BlueZBonds.all(on: self.eventLoop).wait().map { bond in
            let folder = "\(state)/\(bond.owner)"
            // The names that our programs have stored, if they have used the device.
            let isKnown = FileManager.default.fileExists(atPath: folder)
            let records = isKnown ? IdentityFile(try FolderStorage(folder: folder)).load() : []
            let record = records.first { $0.address == bond.peer }
            return StoredBond(
                owner: bond.owner,
                ownerName: "bluez:hci\(bond.index)",
                peer: bond.peer,
                identifier: record?.identifier,
                name: bond.name ?? record?.advertisedName ?? record?.deviceName,
                folder: folder,
                system: bond
            )
        }
    }

    private static var eventLoop: any EventLoop { MultiThreadedEventLoopGroup.singleton.any() }

    /// Removes a bond and the documents beside it. A running program forgets it with the next connection.
    ///
    /// - Throws: `TransportError` if it cannot be removed.
    package static func remove(_ bond: StoredBond) throws {
        if let system = bond.system { return try BlueZBonds.remove(system, on: self.eventLoop).wait() }
        let storage = try FolderStorage(folder: bond.folder)
        try storage.withLock { try storage.removeBond(with: bond.peer) }
    }
}
