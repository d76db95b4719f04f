// The processes of this machine, as Linux lists them under /proc without privileges: their names, whether they are
// stopped, the capabilities of the running program, and the owners of Bluetooth sockets. Other systems list nothing.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A process, for messages.
public struct ProcessInformation: Hashable, Sendable, CustomStringConvertible {
    package var number: Int
    /// The name of its program; `nil` if unknown.
    package var name: String?

    /// `eightball (process 812)`, or `process 812` without a name.
    public var description: String {
        self.name.map { "\($0) (process \(self.number))" } ?? "process \(self.number)"
    }
}

/// Information about processes.
public struct ProcessListing: Sendable {
    private let folder: SystemFolder

    /// The processes of this machine.
    ///
    /// - Parameter folder: The kernel's folder of processes.
    package init(folder: String = "/proc") { self.folder = SystemFolder(path: folder) }

    /// The process with an identifier, with its name if it is running.
    package func process(_ number: Int) -> ProcessInformation {
        ProcessInformation(number: number, name: self.folder["\(number)"].text("comm"))
    }

    /// The processes of programs with this name, sorted by their identifiers.
    package func processes(named name: String) -> [ProcessInformation] {
        self.numbers.map(self.process).filter { $0.name == name }
    }

    /// Whether a process is stopped, as by Ctrl-Z in a terminal.
    package func isStopped(_ number: Int) -> Bool {
        // The state follows the name, which is in parentheses and may contain any character.
        guard let line = self.folder["\(number)"].text("stat"), let end = line.lastIndex(of: ")") else { return false }
        return line[line.index(after: end)...].drop { $0 == " " }.first == "T"
    }

    /// The path of the running program.
    package var ownProgram: String? { self.folder["self"].target("exe") }

    /// Whether the running program has the capability `CAP_NET_ADMIN`, which an adapter's user channel needs.
    ///
    /// The permitted set counts, since it is made effective when the channel is opened. `nil` if unknown.
    package var mayUseAdapters: Bool? {
        let prefix = "CapPrm:"
        guard let line = self.folder["self"].lines("status").first(where: { $0.hasPrefix(prefix) }),
            let capabilities = UInt64(line.dropFirst(prefix.count).filter { !$0.isWhitespace }, radix: 16)
        else { return nil }
        let networkAdministration: UInt64 = 12
        return capabilities >> networkAdministration & 1 == 1
    }

    /// Whether the running program has loaded a library from `LD_LIBRARY_PATH`.
    ///
    /// A program with capabilities does not search it (ld.so(8), secure-execution mode).
    ///
    /// - Parameter path: The value of the variable.
    package func usesLibraries(in path: String) -> Bool {
        let folders = path.split(separator: ":").map { $0.hasSuffix("/") ? String($0) : $0 + "/" }
        return self.folder["self"].lines("maps").contains { line in
            // The path begins at the first slash.
            guard line.contains(".so"), let start = line.firstIndex(of: "/") else { return false }
            return folders.contains { line[start...].hasPrefix($0) }
        }
    }

    /// The owners of HCI sockets, except this process.
    ///
    /// - Returns: The visible processes, sorted by their identifiers, and the number of sockets of other processes.
    package func ownersOfBluetoothSockets() -> (processes: [ProcessInformation], unseen: Int) {
        // sk RefCnt Rmem Wmem User Inode Parent
        let sockets = Set(
            self.folder["net"].lines("hci").dropFirst().compactMap { line -> String? in
                let columns = line.split(separator: " ", omittingEmptySubsequences: true)
                return columns.count > 5 ? "socket:[\(columns[5])]" : nil
            }
        )
        guard !sockets.isEmpty else { return ([], 0) }
        var found: Set<String> = []
        var owners: [ProcessInformation] = []
        let own = Int(getpid())
        for number in self.numbers {
            let descriptors = self.folder["\(number)"]["fd"]
            let mine = Set(descriptors.entries.compactMap(descriptors.target)).intersection(sockets)
            guard !mine.isEmpty else { continue }
            found.formUnion(mine)
            if number != own { owners.append(self.process(number)) }
        }
        return (owners, sockets.subtracting(found).count)
    }

    private var numbers: [Int] { self.folder.entries.compactMap { Int($0) }.filter { $0 > 0 }.sorted() }
}
