import BluetoothTypes
import Fixtures
import Foundation
import Testing

@testable import CoreBluetooth

@Suite("The devices on disk")
struct StoredDevicesTests {
    private func record(_ number: UInt64, name: String?) -> IdentityStore.Record {
        IdentityStore.Record(
            identifier: UUID(random: 0, number),
            address: DeviceAddress(0xC000_0000_0000 + number, kind: .random),
            advertisedName: name
        )
    }

    @Test("are named each once, the last ones stored first, by their identifiers without a name")
    func spellings() throws {
        let folder = try TemporaryFolder()
        let adapters: [(name: String, time: TimeInterval, records: [IdentityStore.Record])] = [
            ("C0:00:00:00:00:01", 1000, [record(1, name: "Old"), record(2, name: "Twin")]),
            ("C0:00:00:00:00:02", 2000, [record(3, name: "Twin"), record(4, name: nil), record(5, name: "New")]),
            ("own", 3000, [record(6, name: "no adapter")]),
        ]
        for adapter in adapters {
            let path = "\(folder.path)/\(adapter.name)"
            IdentityFile(try FolderStorage(folder: path)).save(adapter.records)
            let time = [FileAttributeKey.modificationDate: Date(timeIntervalSince1970: adapter.time)]
            try FileManager.default.setAttributes(time, ofItemAtPath: "\(path)/identities.json")
        }
        let all = ["New", record(4, name: nil).identifier.uuidString, "Twin", "Old"]
        #expect(StoredDevices.spellings(in: folder.path, limit: 10) == all)
        #expect(StoredDevices.spellings(in: folder.path, limit: 2) == Array(all.prefix(2)))
        #expect(StoredDevices.spellings(in: "\(folder.path)/none", limit: 10).isEmpty)
    }
}
