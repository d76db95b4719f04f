// The processes of this machine, as Linux shows them under /proc without privileges: their names, whether they are
// stopped, the capabilities of the running program, and the owners of Bluetooth sockets. On other systems nothing is
// known.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A process, for messages.
public struct ProcessInformation: Hashable, Sendable, CustomStringConvertible {
    /// Its number.
    public var number: Int
    /// The name of its program; `nil` where it cannot be known.
    public var name: String?

    /// Creates the information.
    public init(number: Int, name: String?) {
        self.number = number
        self.name = name
    }

    /// `eightball (process 812)`, or `process 812` without a name.
    public var description: String {
        self.name.map { "\($0) (process \(self.number))" } ?? "process \(self.number)"
    }
}

/// Questions about processes.
public struct ProcessListing: Sendable {
    private let folder: SystemFolder

    /// Looks at this machine.
    ///
    /// - Parameter folder: Where the kernel shows its processes.
    public init(folder: String = "/proc") { self.folder = SystemFolder(path: folder) }

    /// The process with a number, with its name where it runs.
    public func process(_ number: Int) -> ProcessInformation {
        ProcessInformation(number: number, name: self.folder["\(number)"].text("comm"))
    }

    /// The processes whose program has this name, by their numbers.
    public func processes(named name: String) -> [ProcessInformation] {
        self.numbers.map(self.process).filter { $0.name == name }
    }

    /// Whether a process was stopped, as Ctrl-Z in a terminal does it: it lives, and does nothing.
    public func isStopped(_ number: Int) -> Bool {
        // The state follows the name, which stands in parentheses and may hold any character.
        guard let line = self.folder["\(number)"].text("stat"), let end = line.lastIndex(of: ")") else { return false }
        return line[line.index(after: end)...].drop { $0 == " " }.first == "T"
    }

    /// The file of the running program.
    public var ownProgram: String? { self.folder["self"].target("exe") }

    /// Whether the running program may use the network's administration, which an adapter's user channel asks for.
    ///
    /// What is permitted counts: it is made effective when the channel is opened. `nil` where that is not known.
    public var mayUseAdapters: Bool? {
        let prefix = "CapPrm:"
        guard let line = self.folder["self"].lines("status").first(where: { $0.hasPrefix(prefix) }),
            let capabilities = UInt64(line.dropFirst(prefix.count).filter { !$0.isWhitespace }, radix: 16)
        else { return nil }
        let networkAdministration: UInt64 = 12
        return capabilities >> networkAdministration & 1 == 1
    }

    /// Whether the running program has loaded a library that it found in `LD_LIBRARY_PATH`.
    ///
    /// One with capabilities does not look there (ld.so(8), secure-execution mode).
    ///
    /// - Parameter path: The value of that variable.
    public func usesLibraries(in path: String) -> Bool {
        let folders = path.split(separator: ":").map { $0.hasSuffix("/") ? String($0) : $0 + "/" }
        return self.folder["self"].lines("maps").contains { line in
            // The file is what stands behind the first slash.
            guard line.contains(".so"), let start = line.firstIndex(of: "/") else { return false }
            return folders.contains { line[start...].hasPrefix($0) }
        }
    }

    /// The owners of HCI sockets, without the own process.
    ///
    /// - Returns: The processes that can be seen, by their numbers, and how many sockets belong to others.
    public func ownersOfBluetoothSockets() -> (processes: [ProcessInformation], unseen: Int) {
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
