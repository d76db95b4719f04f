// Folders of the user's own, which no other user can enter: one that lasts as long as the session, for the air's
// socket, and one for state that outlives it. The places are those of the XDG Base Directory Specification. In a folder
// for all, such as the temporary one, another user may have made it first, so owner and mode are checked.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Finds and makes the folders.
package enum PrivateFolder {
    private static let name = "corebluetooth"

    /// The folder for sockets and locks: under `XDG_RUNTIME_DIR`, else under the temporary folder.
    package static func runtime(
        environment: (String) -> String? = Self.environment
    ) throws(TransportError) -> String {
        if let base = environment("XDG_RUNTIME_DIR"), base.hasPrefix("/"), Self.isOwnFolder(base) {
            return try Self.make("\(base)/\(Self.name)")
        }
        return try Self.make(Self.temporary(environment))
    }

    /// The folder for what lasts: under `XDG_STATE_HOME`, else `~/.local/state`, else, where that cannot be written,
    /// under the temporary folder.
    ///
    /// - Returns: The folder, and why it is not the usual one where that is so.
    package static func state(
        environment: (String) -> String? = Self.environment
    ) throws(TransportError) -> (path: String, problem: TransportError?) {
        var base: String?
        if let named = environment("XDG_STATE_HOME"), named.hasPrefix("/") {
            base = named
        } else if let home = environment("HOME"), home.hasPrefix("/") {
            base = "\(home)/.local/state"
        }
        var problem = TransportError(.notFound, "neither XDG_STATE_HOME nor HOME is set")
        if let base {
            do {
                let folder = try Self.make("\(base)/\(Self.name)")
                if access(folder, W_OK | X_OK) == 0 { return (folder, nil) }
                problem = TransportError(errno: errno, "cannot write in \(folder)")
            } catch {
                problem = error
            }
        }
        return (try Self.make("\(Self.make(Self.temporary(environment)))/state"), problem)
    }

    private static func temporary(_ environment: (String) -> String?) -> String {
        let base = environment("TMPDIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        return "\(base)/\(Self.name)-\(geteuid())"
    }

    /// Reads a variable of the process's environment; an empty one counts as absent.
    package static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// Makes a folder of mode 0700, and what is missing above it, or checks the one that is there and removes what
    /// processes left in it that were killed while they wrote.
    ///
    /// - Throws: ``TransportError`` where it cannot be made or another user could enter it.
    @discardableResult
    package static func make(_ path: String) throws(TransportError) -> String {
        try Self.makeWithParents(path)
        var status = stat()
        guard lstat(path, &status) == 0 else { throw TransportError(errno: errno, "cannot look at \(path)") }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw TransportError(.inUse, "\(path) is not a folder: move it away")
        }
        guard status.st_uid == geteuid() else {
            throw TransportError(.noPermission, "\(path) belongs to another user: set TMPDIR to a folder of yours")
        }
        // Where others could only look, nothing of theirs can be inside, so shutting the door is enough.
        guard status.st_mode & 0o022 == 0 else {
            throw TransportError(.noPermission, "others can write in \(path): look through it, then chmod 700 \(path)")
        }
        guard status.st_mode & 0o777 == 0o700 || chmod(path, 0o700) == 0 else {
            throw TransportError(errno: errno, "cannot set the mode of \(path)")
        }
        PrivateFile.removeUnfinished(in: path)
        return path
    }

    /// Makes a folder and those above it, as private ones; those that exist are left as they are.
    ///
    /// The name of one that was made survives a power failure, as do the files that will be in it; where the folder above may
    /// not be opened, from the moment on at which the system writes it by itself.
    private static func makeWithParents(_ path: String) throws(TransportError) {
        if mkdir(path, 0o700) == 0 {
            try? PrivateFile.syncFolder(of: path)
            return
        }
        if errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            throw TransportError(errno: errno, "cannot create the folder \(path)")
        }
        try Self.makeWithParents(String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw TransportError(errno: errno, "cannot create the folder \(path)")
        }
        try? PrivateFile.syncFolder(of: path)
    }

    private static func isOwnFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
    }
}
