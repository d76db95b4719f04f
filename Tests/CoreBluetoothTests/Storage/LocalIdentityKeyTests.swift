// The key of which this device's private addresses are made.

import BluetoothTypes
import Fixtures
import Foundation
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("The identity key of a device")
struct LocalIdentityKeyTests {
    private func key(_ storage: any StateStorage, seed: UInt64) -> Octets16 {
        var generator: any RandomNumberGenerator = SeededGenerator(seed: seed)
        return LocalIdentityKey.key(in: StateWriter(storage), using: &generator)
    }

    @Test("It is drawn once for a storage")
    func once() {
        let storage = MemoryStorage()
        let key = self.key(storage, seed: 1)
        #expect(key != .zero)
        #expect(self.key(storage, seed: 2) == key)
        #expect(self.key(MemoryStorage(), seed: 2) != key)
    }

    @Test("It is on disk when it is used, for its owner alone")
    func onDisk() throws {
        try withFolderStorage { storage in
            let key = self.key(storage, seed: 1)
            let path = "\(storage.folder)/identity-key.json"
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(self.key(storage, seed: 2) == key)
        }
    }

    @Test("One that is damaged is set aside, and another is drawn")
    func damaged() throws {
        let storage = MemoryStorage()
        let key = self.key(storage, seed: 1)
        try storage.write(Data("{".utf8), to: "identity-key.json")
        #expect(self.key(storage, seed: 2) != key)
        #expect(storage.names.contains { $0.hasPrefix("damaged-") })
    }
}
