// In which order a new bond and the identifier of its device are written where documents are written on queues: a bond
// without the identifier that apps know would be one with an unknown device after a crash. Off the record: queues have
// no virtual time.

import BluetoothHost
import BluetoothTransport
import BluetoothTypes
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

/// A storage that is written on queues, and that notes with each bond whether it knows a device by then.
private final class NotingStorage: StorageInMemory {
    let memory = MemoryStorage()
    private let notes = NIOLockedValueBox<[Bool]>([])
    private let device: DeviceAddress

    init(device: DeviceAddress) { self.device = device }

    /// For each bond that was written, whether the device was known.
    var noted: [Bool] { self.notes.withLockedValue { $0 } }

    var isImmediate: Bool { false }

    func write(_ data: Data, to name: String, _ durability: PrivateFile.Durability) throws {
        if name.hasPrefix("bond-") {
            let isKnown = IdentityFile(self.memory).load().contains { $0.address == self.device }
            self.notes.withLockedValue { $0.append(isKnown) }
        }
        try self.memory.write(data, to: name, durability)
    }
}

@Suite("The documents of a new bond")
struct NewBondWritesTests {
    @Test("a new bond is written when the identifier by which apps know its device is")
    func order() {
        let testbed = Testbed()
        let peer = DeviceAddress(0x0011_2233_4455, kind: .public)
        let storage = NotingStorage(device: peer)
        let adapter = testbed.adapter("Crystal", storage: storage)
        let ball = PeripheralApp(on: adapter)
        testbed.run { ball.manager.state == .poweredOn }
        let isDone = adapter.readEngine(in: testbed) { core -> Bool in
            // So many that it takes a moment to write them.
            for number in 1...1_000 {
                _ = core.identities.record(for: DeviceAddress(UInt64(number), kind: .public))
            }
            _ = core.identities.record(for: peer)
            let link = LinkID(rawValue: 1_000)
            let bond = Bond.symmetric(with: peer, isAuthenticated: false)
            core.host.delegate?.host(core.host, link: link, didPairWith: bond, isBonded: true)
            return true
        }
        #expect(isDone == true && storage.noted == [true])
        withExtendedLifetime(ball) {}
    }
}
