// The storage of an adapter as it is on disk, for a test alone.

import Fixtures

@testable import CoreBluetooth

/// Calls `body` with storage whose folder is not there yet, and is gone after the test.
func withFolderStorage(_ body: (FolderStorage) throws -> Void) throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try body(FolderStorage(folder: folder("state")))
}
