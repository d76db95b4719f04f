// Private folders, which no other user can enter: one for the session, with the air's socket, and one for persistent
// state. Their locations follow the XDG Base Directory Specification. In a shared folder, such as the temporary one,
// another user may have created them first, so owner and mode are checked.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Finds and creates the folders.
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

    /// The folder for persistent state: under `XDG_STATE_HOME`, else `~/.local/state`, else, if that is not writable,
    /// under the temporary folder.
    ///
    /// - Returns: The folder, and why it is not the usual one; `nil` if it is.
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

    /// A variable of the process's environment; `nil` if it is empty.
    package static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// Creates a folder of mode 0700 and its missing parents, or checks an existing one and removes unfinished files of
    /// killed processes.
    ///
    /// - Throws: ``TransportError`` if it cannot be created or another user could enter it.
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
        // If others could only read it, it contains nothing of theirs, and changing its mode is enough.
        guard status.st_mode & 0o022 == 0 else {
            throw TransportError(.noPermission, "others can write in \(path): look through it, then chmod 700 \(path)")
        }
        guard status.st_mode & 0o777 == 0o700 || chmod(path, 0o700) == 0 else {
            throw TransportError(errno: errno, "cannot set the mode of \(path)")
        }
        PrivateFile.removeUnfinished(in: path)
        return path
    }

    /// Creates a private folder and its missing parents.
    ///
    /// Its name survives a power failure, as its files will. If the parent cannot be opened, that
    /// holds once the system has written it by itself.
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
