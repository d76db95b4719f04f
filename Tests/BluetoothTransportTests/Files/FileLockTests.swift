import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport

@Suite("File locks")
struct FileLockTests {
    @Test("a lock has one owner until it is released, and names the process")
    func lock() throws {
        let folder = try TemporaryFolder()
        var first = try FileLock.take(folder("lock"))
        #expect(first != nil)
        first?.writeProcessNumber()
        #expect(try FileLock.take(folder("lock")) == nil)
        #expect(FileLock.processNumber(in: folder("lock")) == Int(getpid()))
        #expect(try folder.mode("lock") == 0o600)
        first = nil
        #expect(try FileLock.take(folder("lock")) != nil)
        #expect(throws: TransportError.self) { try FileLock.take(folder("no/lock")) }
        // A symbolic link is not followed.
        symlink(folder("lock"), folder("link"))
        #expect(throws: TransportError.self) { try FileLock.take(folder("link")) }
    }

    @Test("a lock's file begins with the process identifier, and longer old content is removed")
    func lockNumbers() throws {
        let folder = try TemporaryFolder()
        let path = folder("lock")
        for (text, number) in [
            ("", nil), ("\n", nil), ("x1", nil), ("-5", nil), (" 5", nil), ("0", 0), ("12", 12), ("12\n", 12),
            ("12 34", 12), ("123456789012345678", 123_456_789_012_345_678), ("99999999999999999999", nil),
        ] as [(String, Int?)] {
            try PrivateFile.replace(path, with: Array(text.utf8))
            #expect(FileLock.processNumber(in: path) == number, "\(text)")
        }
        #expect(FileLock.processNumber(in: folder("none")) == nil && !FileLock.isTaken(folder("none")))
        try PrivateFile.replace(path, with: [UInt8](repeating: UInt8(ascii: "1"), count: 30))
        #expect(!FileLock.isTaken(path))
        var lock = try FileLock.take(path)
        lock?.writeProcessNumber()
        #expect(try PrivateFile.read(path, limit: 100) == Array("\(getpid())\n".utf8))
        // Asking does not take the lock, and a link is not followed.
        symlink(path, folder("link"))
        for _ in 0..<2 { #expect(FileLock.isTaken(path)) }
        #expect(!FileLock.isTaken(folder("link")) && FileLock.processNumber(in: folder("link")) == nil)
        lock = nil
        for _ in 0..<2 { #expect(!FileLock.isTaken(path)) }
        #expect(folder.content == ["link", "lock"])
    }
}
