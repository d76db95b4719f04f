// The identities of remote devices on disk: `identities.json` in the adapter's folder under `$XDG_STATE_HOME`. It is
// written to a new file and renamed, under a lock that other processes honour; a file that cannot be read is set aside.

import BluetoothTypes
import Foundation

/// The file in which an adapter's identities are kept.
struct IdentityFile: Sendable {
    /// The adapter's own folder.
    let folder: URL

    /// How many devices are kept, those met last.
    static let capacity = 2048

    /// The file in a given folder.
    init(folder: URL) { self.folder = folder }

    /// The file of the adapter with an address, where the environment puts it.
    init(adapter address: DeviceAddress, environment: [String: String] = ProcessInfo.processInfo.environment) {
        let state: URL
        if let path = environment["XDG_STATE_HOME"], path.hasPrefix("/") {
            state = URL(fileURLWithPath: path, isDirectory: true)
        } else {
            state = FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".local/state")
        }
        self.folder = state.appendingPathComponent("corebluetooth").appendingPathComponent(address.description)
    }

    private var url: URL { self.folder.appendingPathComponent("identities.json") }

    private struct Document: Codable {
        struct Peer: Codable {
            var address: String
            var kind: String
            var identifier: UUID
            var name: String?
        }
        var version: Int
        var peers: [Peer]
    }

    /// What the file holds; nothing where there is none or it cannot be read.
    func load() -> [IdentityStore.Record] {
        guard FileManager.default.fileExists(atPath: self.url.path) else { return [] }
        do {
            let document = try JSONDecoder().decode(Document.self, from: Data(contentsOf: self.url))
            guard document.version == 1 else { throw CocoaError(.fileReadCorruptFile) }
            return document.peers.compactMap { peer in
                let kind: DeviceAddress.Kind
                switch peer.kind {
                case "public": kind = .public
                case "random": kind = .random
                default: return nil
                }
                return DeviceAddress(peer.address, kind: kind).map {
                    IdentityStore.Record(identifier: peer.identifier, address: $0, name: peer.name)
                }
            }
        } catch {
            self.setAside()
            return []
        }
    }

    /// Writes the records, those met last if there are too many, together with what another process has added.
    func save(_ records: [IdentityStore.Record]) {
        do {
            try FileManager.default.createDirectory(
                at: self.folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            try self.withLock {
                let known = Set(records.map(\.address))
                let others = self.load().filter { !known.contains($0.address) }
                let peers = (others + records).suffix(Self.capacity).map { record in
                    Document.Peer(
                        address: record.address.description,
                        kind: record.address.isRandom ? "random" : "public",
                        identifier: record.identifier,
                        name: record.name
                    )
                }
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
                let data = try encoder.encode(Document(version: 1, peers: Array(peers)))
                // Written to a new file, which then takes the name.
                try data.write(to: self.url, options: .atomic)
            }
        } catch {
            Notice.once("cannot keep identities in \(self.folder.path): \(error.localizedDescription)")
        }
    }

    /// A file that cannot be read is kept for whoever wants to look at it, under another name.
    private func setAside() {
        let name = "identities.damaged-\(Int(Date().timeIntervalSince1970)).json"
        try? FileManager.default.moveItem(at: self.url, to: self.folder.appendingPathComponent(name))
        Notice.once("\(self.url.path) is damaged; it was set aside as \(name)")
    }

    private func withLock(_ body: () throws -> Void) throws {
        let path = self.folder.appendingPathComponent("identities.lock").path
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        try body()
    }
}
