import BluetoothTypes
import Testing

@testable import CoreBluetooth

@Suite("The identity key of this device")
struct LocalIdentityKeyTests {
    private func key(_ storage: any StateStorage, seed: UInt64) -> Octets16 {
        var generator: any RandomNumberGenerator = SeededGenerator(seed: seed)
        return LocalIdentityKey.key(in: StateWriter(storage), using: &generator)
    }

    @Test("is drawn once for a storage, and again if it is damaged")
    func once() throws {
        let storage = MemoryStorage()
        let key = self.key(storage, seed: 1)
        #expect(key != .zero && self.key(storage, seed: 2) == key && self.key(MemoryStorage(), seed: 2) != key)
        try storage.write(Data("{".utf8), to: "identity-key.json")
        #expect(CapturedLog().capture { self.key(storage, seed: 2) } != key)
        #expect(storage.names.contains("damaged-1-identity-key.json"))
    }

    @Test("is on disk when it is used, for its owner alone")
    func onDisk() throws {
        try withFolderStorage { storage throws in
            let key = self.key(storage, seed: 1)
            let path = "\(storage.folder)/identity-key.json"
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600 && self.key(storage, seed: 2) == key)
        }
    }
}
