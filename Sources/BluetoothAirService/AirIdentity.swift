// The identity of a process on an air: a random static address (Vol 6, Part B, 1.3.2.1) that stays the same from run to
// run, so that bonds and identifiers last. There is one for each program name, another one for a second process of the
// program that runs at the same time, and so on; or one with a name that the user gives.
//
// Each identity is a small file with a lock file, which the process holds while it uses the identity.

package import BluetoothTransport
package import BluetoothTypes
package import Logging

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An identity that this process holds while the object is retained.
public final class AirIdentity: Sendable {
    /// The random static address.
    package let address: DeviceAddress
    /// The identity's name in messages: `crystal`, or the program's name and a number.
    package let name: String
    private let lock: FileLock

    fileprivate init(address: DeviceAddress, name: String, lock: FileLock) {
        self.address = address
        self.name = name
        self.lock = lock
    }
}

/// The identities of a user's processes, in files under `$XDG_STATE_HOME/corebluetooth`.
public struct AirIdentityStore: Sendable {
    /// The maximum octets of a name that a user gives.
    package static let maximumNameLength = 64
    private static let maximumProgramLength = 64
    private static let maximumProcesses = 4096

    /// The folder of the identities.
    package let folder: String
    private let logger: Logger

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - folder: Where to keep the identities; `nil` for the user's state folder. If that cannot be written, the
    ///     temporary folder is used and a line is logged.
    ///   - logger: Gets a line if an identity cannot be kept.
    /// - Throws: `TransportError` if no folder can be created.
    package init(folder: String? = nil, logger: Logger) throws(TransportError) {
        self.logger = logger
        if let folder {
            self.folder = try PrivateFolder.make(folder)
        } else {
            let state = try PrivateFolder.state()
            if let problem = state.problem {
                logger.notice("identities are kept in \(state.path) only, until that is cleaned: \(problem)")
            }
            self.folder = try PrivateFolder.make("\(state.path)/own")
        }
    }

    /// Claims the identity with a name that the user gave.
    ///
    /// - Throws: `TransportError`: `inUse` if another adapter or process has the identity, `badName` for an empty or
    ///   long name.
    package func claim(name: String) throws(TransportError) -> AirIdentity {
        guard !name.isEmpty, name.utf8.count <= Self.maximumNameLength else {
            throw TransportError(
                .badName,
                "the identity has \(name.utf8.count) octets: give it 1 to \(Self.maximumNameLength)"
            )
        }
        let stem = "\(self.folder)/name-\(PrivateFile.name(of: name))"
        guard let lock = try FileLock.take("\(stem).lock") else {
            let holder = FileLock.processNumber(in: "\(stem).lock")
            let owner =
                holder.map { $0 == Int(getpid()) ? "another adapter of this process" : "process \($0)" }
                ?? "another process"
            throw TransportError(
                .inUse,
                "the identity \"\(name)\" is in use by \(owner): end that or choose another name"
            )
        }
        return self.identity(name, stem, lock)
    }

    /// Claims the first free identity of a program.
    package func claim(program: String) throws(TransportError) -> AirIdentity {
        let name = String(decoding: program.utf8.prefix(Self.maximumProgramLength), as: UTF8.self)
        for number in 1...Self.maximumProcesses {
            let stem = "\(self.folder)/program-\(PrivateFile.name(of: name))-\(number)"
            guard let lock = try FileLock.take("\(stem).lock") else { continue }
            return self.identity(number == 1 ? name : "\(name) \(number)", stem, lock)
        }
        throw TransportError(.inUse, "\(Self.maximumProcesses) processes of \(program) are running: end some")
    }

    /// The names of all identities, in use or not, by their addresses.
    package func names() throws -> [DeviceAddress: String] {
        var names: [DeviceAddress: String] = [:]
        for file in try FileManager.default.contentsOfDirectory(atPath: self.folder) where file.hasSuffix(".json") {
            guard let octets = try? PrivateFile.read("\(self.folder)/\(file)", limit: 4096),
                let record = try? JSONDecoder().decode(Record.self, from: Data(octets)),
                let address = DeviceAddress(record.address, kind: .random)
            else { continue }
            names[address] = record.name
        }
        return names
    }

    private func identity(_ name: String, _ stem: String, _ lock: FileLock) -> AirIdentity {
        lock.writeProcessNumber()
        let path = "\(stem).json"
        if let address = self.read(path) { return AirIdentity(address: address, name: name, lock: lock) }
        var generator = SystemRandomNumberGenerator()
        let address = DeviceAddress.randomStatic(using: &generator)
        do {
            try Self.write(Record(version: Record.currentVersion, name: name, address: address.description), to: path)
        } catch {
            self.logger.warning("the identity \(name) lasts for this run only: \(error)")
        }
        return AirIdentity(address: address, name: name, lock: lock)
    }

    // MARK: Files

    private struct Record: Codable {
        static let currentVersion = 1

        var version: Int
        var name: String
        var address: String
    }

    /// The address in a file; `nil` if there is no file, or if its content is invalid; then it is set aside.
    private func read(_ path: String) -> DeviceAddress? {
        // A valid file is far shorter than the limit. One that cannot be read counts as invalid.
        let octets: [UInt8]?
        do throws(TransportError) {
            octets = try PrivateFile.read(path, limit: 4096)
            if octets == nil { return nil }
        } catch {
            octets = nil
        }
        if let octets,
            let record = try? JSONDecoder().decode(Record.self, from: Data(octets)),
            record.version == Record.currentVersion,
            let address = DeviceAddress(record.address, kind: .random), address.randomKind == .static
        {
            return address
        }
        let aside = "\(path).bad"
        if (try? PrivateFile.rename(path, to: aside)) != nil {
            self.logger.warning(
                "\(path) is damaged or foreign: it was set aside as \(aside), and the address is a new one"
            )
        }
        return nil
    }

    private static func write(_ record: Record, to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let octets = Array(try encoder.encode(record)) + [UInt8(ascii: "\n")]
        try PrivateFile.replace(path, with: octets)
    }
}
