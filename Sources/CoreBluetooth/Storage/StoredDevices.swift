// The devices that this user's programs have met, for the completions of a shell.

import BluetoothTransport
import BluetoothTypes
import Foundation

/// The devices on disk.
package enum StoredDevices {
    /// The names of the devices, or the identifiers of those without a name: first those of the adapter whose devices
    /// were stored last, and of one adapter first the last one met. None if nothing can be read.
    package static func spellings(limit: Int) -> [String] {
        guard let state = try? PrivateFolder.state().path else { return [] }
        return self.spellings(in: state, limit: limit)
    }

    /// The same of a state folder.
    static func spellings(in state: String, limit: Int) -> [String] {
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: state)) ?? []
        // An adapter's folder is named by its address.
        let files = folders.filter { DeviceAddress($0, kind: .public) != nil }.compactMap { folder in
            let attributes = try? FileManager.default.attributesOfItem(
                atPath: "\(state)/\(folder)/\(IdentityFile.name)"
            )
            return (attributes?[.modificationDate] as? Date).map { (folder: "\(state)/\(folder)", time: $0) }
        }
        var seen: Set<String> = []
        var spellings: [String] = []
        for file in files.sorted(by: { $0.time > $1.time }) where spellings.count < limit {
            guard let storage = try? FolderStorage(folder: file.folder) else { continue }
            let records = IdentityFile(storage).load().reversed()
            let all = records.map { $0.advertisedName ?? $0.deviceName ?? $0.identifier.uuidString }
            spellings += all.filter { seen.insert($0).inserted }
        }
        return Array(spellings.prefix(limit))
    }
}
