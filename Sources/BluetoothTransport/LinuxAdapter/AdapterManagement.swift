// Asks the kernel's management socket, without privileges, which adapters the system itself can use. An
// adapter whose user channel is open is not among them; the kernel does not report that anywhere else.

#if os(Linux)
import CPlatform
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The request for the adapters that the system can use (the kernel's `mgmt-api`). Numbers are little-endian.
enum AdapterManagement {
    /// Read Controller Index List, for no adapter and without parameters.
    static let question: [UInt8] = [0x03, 0x00, 0xFF, 0xFF, 0x00, 0x00]

    /// The maximum size of an answer: far more adapters than a machine has.
    static let answerLimit = 4096

    /// The adapters in an answer; `nil` unless the packet is a complete Command Complete event with success.
    static func indices(in packet: [UInt8]) -> Set<Int>? {
        func number(_ place: Int) -> Int { Int(packet[place]) | Int(packet[place + 1]) << 8 }
        // Event 0x0001 for no adapter and its length; then the command, its status, the count, and the adapters.
        let head = 11
        guard packet.count >= head, packet[..<4] == [0x01, 0x00, 0xFF, 0xFF], number(4) == packet.count - 6,
            number(6) == 0x0003, packet[8] == 0, packet.count == head + 2 * number(9)
        else { return nil }
        let indices = (0..<number(9)).map { number(head + 2 * $0) }
        let set = Set(indices)
        return set.count == indices.count && !set.contains(0xFFFF) ? set : nil
    }

    #if os(Linux)
    /// The adapters that the system can use; `nil` if the kernel does not answer, as without Bluetooth.
    static func indices() -> Set<Int>? {
        var socket: CInt = -1
        guard linux_hci_socket(&socket) == 0 else { return nil }
        defer { close(socket) }
        guard linux_hci_bind_management(socket) == 0 else { return nil }
        return self.indices(over: socket, timeLimit: .milliseconds(200))
    }

    /// Asks over a socket that keeps packets apart; skips all packets but the answer.
    ///
    /// The kernel answers before the system call returns, so the limit is only for a kernel that does not answer.
    static func indices(over socket: CInt, timeLimit: Duration) -> Set<Int>? {
        let flags = CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL)
        guard send(socket, self.question, self.question.count, flags) == self.question.count else { return nil }
        let clock = ContinuousClock()
        let end = clock.now + timeLimit
        var octets = [UInt8](repeating: 0, count: self.answerLimit)
        while true {
            let left = clock.now.duration(to: end) / .milliseconds(1)
            guard left > 0 else { return nil }
            var readiness = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            guard poll(&readiness, 1, CInt(left.rounded(.up))) > 0 else { continue }
            let count = recv(socket, &octets, octets.count, CInt(MSG_DONTWAIT))
            // A readable socket without data is closed.
            guard count > 0 else { return nil }
            if let indices = self.indices(in: Array(octets[..<count])) { return indices }
        }
    }
    #else
    static func indices() -> Set<Int>? { nil }
    #endif
}
