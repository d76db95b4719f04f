// What is on disk when a process ends by itself: also what its app asked for last.

import BluetoothTypes
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("13.1 What is on disk at the end of a process")
struct ShutdownStorageTests {
    @Test("13.1 what an app asked for just before the end of its process is on disk")
    func lastChange() throws {
        try withFolderStorage { folder in
            let testbed = Testbed()
            let adapter = testbed.adapter("Curious", storage: folder)
            let central = CentralApp(on: adapter, options: [CBCentralManagerOptionRestoreIdentifierKey: "asker"])
            testbed.run { central.manager.state == .poweredOn }
            #expect(try folder.names(withPrefix: "central-").isEmpty)
            central.manager.scanForPeripherals(withServices: [IDs.service])
            adapter.shutDown(within: .seconds(1)) {}
            testbed.run(.seconds(2))
            let names = try folder.names(withPrefix: "central-")
            let name = try #require(names.first)
            #expect(names.count == 1)
            let record = folder.load(CentralRecord.self, from: name)
            #expect(record?.scan?.services == [IDs.service.value])
            // What is asked of the adapter after that is kept no more.
            central.manager.stopScan()
            testbed.run(.seconds(1))
            #expect(folder.load(CentralRecord.self, from: name) == record)
        }
    }
}
