// An adapter's storage on disk: files in `$XDG_STATE_HOME/corebluetooth/ADAPTER-ADDRESS`, a folder of the user's own
// (mode 0700). `PrivateFile` writes them, so that a process may be killed and the power may fail at any instant; one
// lock lets several processes take turns.

package import BluetoothTransport
import BluetoothTypes
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A storage in a folder.
package struct FolderStorage: StateStorage {
    /// The longest document that is read, in octets; ours are far shorter.
    private static let maximumLength = 16 << 20

    /// The folder.
    package let folder: String

    /// The storage in a folder, which is created if it does not exist.
    ///
    /// - Throws: ``TransportError`` if it cannot be created, or others could write to it.
    package init(folder: String) throws {
        self.folder = try PrivateFolder.make(folder)
    }

    /// The storage of the adapter with an address, below the folder that the environment names.
    ///
    /// - Throws: ``TransportError`` if there is no folder for it.
    init(adapter address: DeviceAddress, environment: (String) -> String? = PrivateFolder.environment) throws {
        let state = try PrivateFolder.state(environment: environment)
        if let problem = state.problem {
            Notice.once("what is known of peers is kept in \(state.path) only, until that is cleaned: \(problem)")
        }
        try self.init(folder: "\(state.path)/\(address)")
    }

    package var isImmediate: Bool { false }

    private func path(_ name: String) -> String { "\(self.folder)/\(name)" }

    package func read(_ name: String) throws -> Data? {
        try PrivateFile.read(self.path(name), limit: Self.maximumLength).map { Data($0) }
    }

    package func write(_ data: Data, to name: String, _ durability: PrivateFile.Durability) throws {
        try PrivateFile.replace(self.path(name), with: Array(data), durability: durability)
    }

    package func remove(_ name: String, _ durability: PrivateFile.Durability) throws {
        try PrivateFile.remove(self.path(name), durability: durability)
    }

    package func setAside(_ name: String) throws -> String {
        let seconds = Int(Date().timeIntervalSince1970)
        // The extension stays last, so that an editor knows what it is.
        let stem = name.hasSuffix(".json") ? String(name.dropLast(5)) : name
        let aside = "\(stem).damaged-\(seconds).json"
        try PrivateFile.rename(self.path(name), to: self.path(aside))
        return aside
    }

    package func names(withPrefix prefix: String) throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: self.folder)
        return names.filter { $0.hasPrefix(prefix) && $0.hasSuffix(".json") && !$0.contains(".damaged-") }
            .map { name in
                var status = stat()
                guard stat(self.path(name), &status) == 0 else { return (name, 0, 0) }
                #if canImport(Darwin)
                return (name, status.st_mtimespec.tv_sec, status.st_mtimespec.tv_nsec)
                #else
                return (name, status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
                #endif
            }
            .sorted { ($0.1, $0.2, $0.0) < ($1.1, $1.2, $1.0) }
            .map { $0.0 }
    }

    package func withLock<Result>(_ body: () throws -> Result) throws -> Result {
        try FileLock.with(self.path("lock"), body)
    }

    package func claim(_ name: String) throws -> StateClaim? {
        guard let lock = try FileLock.take(self.path("\(name).lock")) else { return nil }
        return StateClaim { withExtendedLifetime(lock) {} }
    }
}
