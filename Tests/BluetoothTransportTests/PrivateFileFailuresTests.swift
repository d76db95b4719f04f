// Private files whose octets the system does not transfer: the call that fails is not made again, and is an error.

import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport

@Suite("Private files that cannot be transferred")
struct PrivateFileFailuresTests {
    @Test(
        "Octets that cannot be written are an error; the new file goes, and the old content stays",
        arguments: [PrivateFile.Durability.powerFailure, .endOfProcess]
    )
    func write(durability: PrivateFile.Durability) throws {
        let folder = try TemporaryFolder()
        let path = folder("a.json")
        try PrivateFile.replace(path, with: [1, 2], durability: durability)
        // A pipe has no offset to write at. With a reader it is opened at once.
        let new = "\(path).new-\(getpid())"
        #expect(mkfifo(new, 0o600) == 0)
        let reader = open(new, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(reader >= 0)
        defer { close(reader) }
        let error = #expect(throws: TransportError.self) {
            try PrivateFile.replace(path, with: [3, 4], durability: durability)
        }
        #expect(error?.code == .failed && error?.errorNumber == ESPIPE)
        #expect(error?.message.hasPrefix("cannot write \(new): ") == true)
        #expect(folder.content == ["a.json"])
        #expect(try PrivateFile.read(path, limit: 2) == [1, 2])
    }

    #if os(Linux)
    /// A file of the kernel that has a length and cannot be read: the loopback interface has no speed.
    private static let unreadable = "/sys/class/net/lo/speed"

    private static let hasUnreadable: Bool = {
        let descriptor = open(unreadable, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var status = stat()
        var octet: UInt8 = 0
        return fstat(descriptor, &status) == 0 && status.st_size > 0 && pread(descriptor, &octet, 1, 0) < 0
    }()

    @Test("Octets that cannot be read are an error", .enabled(if: hasUnreadable))
    func read() {
        let error = #expect(throws: TransportError.self) {
            try PrivateFile.read(Self.unreadable, limit: 1 << 20)
        }
        #expect(error?.code == .failed && error?.errorNumber == EINVAL)
        #expect(error?.message.hasPrefix("cannot read \(Self.unreadable): ") == true)
    }
    #endif
}
