// What peers can do to the bonds of a device: pair without end, while another program removes bonds, or the disk is
// full.

import BluetoothHost
import BluetoothTransport
import BluetoothTypes
import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import CoreBluetooth

@Suite("The bonds of an adapter: limits")
struct BondStoreLimitTests {
    private let storage = HookedStorage()

    private func address(_ number: Int) -> DeviceAddress {
        DeviceAddress(0xC000_0000_0000 | UInt64(number), kind: .random)
    }

    private func bond(_ number: Int, isAuthenticated: Bool = false) -> Bond {
        .symmetric(with: self.address(number), isAuthenticated: isAuthenticated)
    }

    /// The store of a process, whose time is `seconds`.
    private final class Process {
        let store = BondStore()
        var seconds = 1_000_000.0
        var forgotten: [DeviceAddress] = []

        init(_ storage: any StateStorage) {
            self.store.now = { [unowned self] in Date(timeIntervalSince1970: self.seconds) }
            self.store.onForget = { [unowned self] in self.forgotten.append($0) }
            self.store.writer = StateWriter(storage)
        }
    }

    /// A process with as many bonds as there may be, made one second after the other.
    private func filled(isAuthenticated: Bool = false) -> Process {
        let process = Process(self.storage)
        for number in 1...BondStore.capacity {
            process.seconds += 1
            process.store.store(self.bond(number, isAuthenticated: isAuthenticated))
        }
        return process
    }

    @Test("bonding without end: keeps 512 bonds; the one goes that was used longest ago, never one in use")
    func leastUsed() {
        let process = self.filled()
        let store = process.store
        #expect(store.peers.count == 512 && process.forgotten.isEmpty)
        process.seconds += 1
        store.noteUse(of: self.address(1))
        store.isInUse = { $0 == self.address(2) }
        #expect(store.store(self.bond(1_001)) && store.store(self.bond(1_002)))
        #expect(process.forgotten == [self.address(3), self.address(4)])
        #expect(store.peers.count == 512 && self.storage.memory.names(withPrefix: "bond-").count == 512)
        #expect(store.store(self.bond(1_002)), "one that is replaced needs no room")
        #expect(process.forgotten.count == 2)
        // However many come, those that were used again stay while there are others.
        for number in 2_000..<2_500 {
            process.seconds += 1
            store.store(self.bond(number))
        }
        #expect(store.bond(with: self.address(1)) != nil && store.bond(with: self.address(2)) != nil)
    }

    @Test("bonding without end: a bond that nobody was asked about takes no place of one that a user has confirmed")
    func confirmed() {
        let process = self.filled(isAuthenticated: true)
        let store = process.store
        #expect(!store.store(self.bond(1_001)))
        #expect(store.bond(with: self.address(1_001)) == nil && process.forgotten.isEmpty)
        #expect(store.store(self.bond(1_002, isAuthenticated: true)) && process.forgotten == [self.address(1)])
        store.isInUse = { _ in true }
        #expect(!store.store(self.bond(1_003, isAuthenticated: true)), "all others are in use")
    }

    @Test("keeps of more bonds than there may be those that a user has confirmed, then those that were used last")
    func start() throws {
        for number in 1...BondStore.capacity + 100 {
            try self.storage.save(
                KeptBond(bond: self.bond(number, isAuthenticated: number <= 5), paired: Date()),
                to: BondStore.name(self.address(number))
            )
            try self.storage.save(
                BondUse(lastUsed: Date(timeIntervalSince1970: Double(number))),
                to: BondStore.useName(self.address(number))
            )
        }
        let kept = Set(Array(1...5) + Array(106...BondStore.capacity + 100)).map(self.address)
        #expect(Set(Process(self.storage).store.peers.map(\.identity.address)) == Set(kept))
        #expect(self.storage.memory.names.count == 2 * 512)
        let count = NIOLockedValueBox(0)
        self.storage.setHook { operation, _ in if operation == .read { count.withLockedValue { $0 += 1 } } }
        #expect(Process(self.storage).store.peers.count == 512 && count.withLockedValue { $0 } <= 4 * 512)
    }

    @Test("a full disk: says that a bond is not kept, keeps the one before, and removes none to make room")
    func full() {
        let process = Process(self.storage)
        #expect(process.store.store(self.bond(1)))
        self.storage.setFull(true)
        #expect(!process.store.store(self.bond(2)) && process.store.bond(with: self.address(2)) == nil)
        #expect(!process.store.store(self.bond(1, isAuthenticated: true)))
        #expect(process.store.bond(with: self.address(1))?.isAuthenticated == false)
        self.storage.setFull(false)
        #expect(process.store.store(self.bond(2)) && Process(self.storage).store.peers.count == 2)
        let filled = self.filled()
        self.storage.setFull(true)
        #expect(!filled.store.store(self.bond(1_001)) && filled.forgotten == [])
        #expect(filled.store.peers.count == 512 && self.storage.memory.names(withPrefix: "bond-").count == 512)
    }

    @Test(
        "leaves nothing of a bond that another program removes while its use, counter or privacy is written",
        arguments: ["use-", "counter-", "privacy-"]
    )
    func removedMeanwhile(document: String) {
        let process = Process(self.storage)
        let address = self.address(1)
        process.store.store(.symmetric(with: address, signCounter: 1))
        let memory = self.storage.memory
        let isDone = NIOLockedValueBox(false)
        self.storage.setHook { operation, name in
            guard operation == .write, name.hasPrefix(document), !isDone.withLockedValue({ $0 }) else { return }
            isDone.withLockedValue { $0 = true }
            try memory.removeBond(with: address)
        }
        switch document {
        case "use-": process.store.noteUse(of: address)
        case "counter-": process.store.noteSignCounter(7, of: address)
        default: process.store.setPrivacy(PeerPrivacy(resolvesAddresses: true), of: address)
        }
        #expect(self.storage.memory.names == [] && process.forgotten == [address])
    }

    @Test("writes no use of a bond that another program has removed, and forgets what is kept beside it")
    func removedElsewhere() throws {
        let process = Process(self.storage)
        process.store.store(self.bond(1))
        try self.storage.removeBond(with: self.address(1))
        process.store.noteUse(of: self.address(1))
        #expect(self.storage.memory.names == [] && process.forgotten == [self.address(1)])
        #expect(process.store.peers.isEmpty)
    }

    @Test("forgets what is kept beside a bond with an address that changes, when others come")
    func passing() {
        let process = Process(self.storage)
        func passing(_ number: Int) -> DeviceAddress { DeviceAddress(0x4000_0000_0000 | UInt64(number), kind: .random) }
        for number in 0...BondStore.passingCapacity {
            if number == 1 { process.store.isInUse = { $0 == passing(0) } }
            process.store.store(.symmetric(with: passing(number)))
        }
        #expect(process.forgotten == [passing(1)], "never one in use")
    }
}
