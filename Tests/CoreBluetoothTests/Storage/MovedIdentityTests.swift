// A device that has said by which address it is known: the identifier that apps have of it is on disk before anything
// else happens.

import BluetoothTypes
import Foundation
import Testing

@testable import CoreBluetooth

@Suite("Identities that move, on disk")
struct MovedIdentityTests {
    @Test("5.1 where a device is known from now on is on disk at once, with its identifier and its name")
    func moved() throws {
        try withFolderStorage { folder throws in
            let changing = DeviceAddress(0x4000_0000_0001, kind: .random)
            let identity = DeviceAddress(0xC000_0000_0001, kind: .random)
            let store = IdentityStore()
            store.open(IdentityFile(folder))
            let identifier = store.record(for: changing).identifier
            store.setName("Crystal", of: changing)
            store.move(changing, to: identity)
            let stored = IdentityFile(folder).load()
            #expect(stored.map(\.identifier) == [identifier] && stored.map(\.address) == [identity])
            #expect(stored.map(\.name) == ["Crystal"])
        }
    }
}
