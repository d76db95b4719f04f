// Storage that belongs to a test: of adapters in virtual time, and on disk.

import Fixtures
import Testbed

@testable import CoreBluetooth

extension Testbed {
    /// An adapter with a virtual controller, which keeps its state in a storage.
    func adapter(_ identity: String, storage: any StateStorage) -> BluetoothAdapter {
        BluetoothAdapter(
            air: self.air,
            configuration: BluetoothAdapter.Configuration(identity: identity),
            storage: storage
        )
    }
}

/// Calls `body` with storage whose folder does not exist yet, and removes the folder after that.
func withFolderStorage(_ body: (FolderStorage) throws -> Void) throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try body(FolderStorage(folder: folder("state")))
}
