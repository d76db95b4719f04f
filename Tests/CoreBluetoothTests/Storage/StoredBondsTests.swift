import BluetoothHost
import BluetoothTypes
import Fixtures
import Testing

@testable import CoreBluetooth

@Suite("Bonds on disk")
struct StoredBondsTests {
    private static let first = DeviceAddress(0x0011_2233_4455, kind: .public)
    private static let second = DeviceAddress(0xC011_2233_4466, kind: .random)
    private static let owner = DeviceAddress(0xC000_0000_0001, kind: .random)

    /// Keeps bonds with these peers, made at 1,000,000 s and used at 2,000,000 s by the first of them alone.
    private func keep(_ peers: [DeviceAddress], in storage: FolderStorage) {
        let store = BondStore()
        store.now = { Date(timeIntervalSince1970: 1_000_000) }
        store.writer = StateWriter(storage)
        for peer in peers { store.store(.symmetric(with: peer, isAuthenticated: peer == Self.first)) }
        store.now = { Date(timeIntervalSince1970: 2_000_000) }
        if let peer = peers.first { store.noteUse(of: peer) }
    }

    /// The documents of a storage; what stands beside them are locks.
    private func documents(_ storage: FolderStorage) throws -> [String] { try storage.names(withPrefix: "").sorted() }

    @Test("removes what is kept of its use and of the peer's client with a bond, and nothing of another peer")
    func removed() throws {
        try withFolderStorage { storage throws in
            self.keep([Self.first, Self.second], in: storage)
            let writer = StateWriter(storage)
            let clients = BondedClientStore()
            clients.writer = writer
            let client = BondedClient(configurations: [], features: 1, databaseHash: nil)
            for peer in [Self.first, Self.second] {
                clients.store(client, at: peer)
                writer.flush()
            }
            let (first, second) = ("001122334455-public.json", "C01122334466-random.json")
            let both = ["bond-\(first)", "bond-\(second)", "client-\(first)", "client-\(second)", "use-\(first)"]
            #expect(try self.documents(storage) == both)
            let bond = StoredBond(
                owner: Self.owner,
                ownerName: nil,
                peer: Self.first,
                identifier: nil,
                name: nil,
                key: LinkSecurity.Key(isAuthenticated: true, isSecureConnections: false, size: 7),
                paired: nil,
                lastUsed: nil,
                folder: storage.folder
            )
            try StoredBonds.remove(bond)
            #expect(try self.documents(storage) == ["bond-\(second)", "client-\(second)"])
            // It is no error to remove a bond twice.
            try StoredBonds.remove(bond)
            #expect(try self.documents(storage) == ["bond-\(second)", "client-\(second)"])
        }
    }

    @Test("lists the owner, the peer, the key and the dates of each bond, and calls the peer what a scan calls it")
    func listed() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let state = folder("state")
        let storage = try FolderStorage(folder: "\(state)/\(Self.owner)")
        self.keep([Self.first, Self.second], in: storage)
        let identities = IdentityStore()
        identities.open(IdentityFile(storage))
        let known = identities.record(for: Self.first)
        identities.setName("Crystal", of: Self.first)
        identities.setName("Crystal ball of the cellar", isDeviceName: true, of: Self.first)
        identities.flush()
        // Other folders are ignored.
        _ = try FolderStorage(folder: "\(state)/other")
        for names in [[Self.owner: "curious"], [:]] as [[DeviceAddress: String]] {
            let bonds = try StoredBonds.all(in: state, names: names)
            // The one without a name comes first.
            #expect(bonds.map(\.peer) == [Self.second, Self.first])
            #expect(bonds.map(\.name) == [nil, "Crystal"])
            #expect(bonds.map(\.identifier) == [nil, known.identifier])
            #expect(bonds.map { $0.key?.isAuthenticated } == [false, true] && bonds.map { $0.key?.size } == [16, 16])
            let made = Date(timeIntervalSince1970: 1_000_000)
            #expect(bonds.map(\.paired) == [made, made])
            #expect(bonds.map(\.lastUsed) == [nil, Date(timeIntervalSince1970: 2_000_000)])
            let isNamed = !names.isEmpty
            let ownerName: String? = isNamed ? "curious" : nil
            #expect(bonds.map(\.ownerName) == [ownerName, ownerName])
            #expect(bonds.map(\.owner.isRandom) == [isNamed, isNamed])
            #expect(bonds.map(\.owner.value) == [Self.owner.value, Self.owner.value])
            try StoredBonds.remove(bonds[1])
            #expect(try StoredBonds.all(in: state, names: names).map(\.peer) == [Self.second])
            self.keep([Self.first], in: storage)
        }
    }

    @Test("lists bonds by the names of their owners, then by the names of the peers")
    func order() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let state = folder("state")
        let owners = ["b", "a"].enumerated().map { index, name in
            (address: DeviceAddress(0xC000_0000_0001 + UInt64(index), kind: .random), name: name)
        }
        for owner in owners {
            let storage = try FolderStorage(folder: "\(state)/\(owner.address)")
            self.keep([Self.first, Self.second], in: storage)
            let identities = IdentityStore()
            identities.open(IdentityFile(storage))
            for (peer, name) in [(Self.first, "Onyx"), (Self.second, "Crystal")] {
                _ = identities.record(for: peer)
                identities.setName(name, of: peer)
            }
            identities.flush()
        }
        let names = Dictionary(uniqueKeysWithValues: owners.map { ($0.address, $0.name) })
        let bonds = try StoredBonds.all(in: state, names: names)
        let listed = bonds.map { "\($0.ownerName ?? "-") \($0.name ?? "-")" }
        #expect(listed == ["a Crystal", "a Onyx", "b Crystal", "b Onyx"])
    }
}
