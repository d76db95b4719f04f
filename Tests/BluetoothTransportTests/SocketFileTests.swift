// The file of a socket: who removes it, and until when it is held; and whether there is a socket at a path.

import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport

@Suite("Files of sockets")
struct SocketFileTests {
    /// Makes a file, which stands for that of a socket.
    private static func make(_ path: String) {
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
    }

    #if os(Linux)
    /// How many descriptors of this process are of files in a folder.
    private static func heldCount(in folder: TemporaryFolder) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { descriptor in
            let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
            return file?.hasPrefix(folder.path + "/") == true
        }
    }
    #endif

    @Test("A file is removed once; one that is made at its path later stays")
    func once() throws {
        let folder = try TemporaryFolder()
        Self.make(folder("a"))
        let file = SocketFile(path: folder("a"))
        #expect(folder.content == ["a"])
        file.remove()
        #expect(folder.content == [])
        Self.make(folder("a"))
        file.remove()
        #expect(folder.content == ["a"])
    }

    @Test("Another file at the path stays, and so does the file that was moved away")
    func replaced() throws {
        let folder = try TemporaryFolder()
        Self.make(folder("a"))
        let file = SocketFile(path: folder("a"))
        #expect(rename(folder("a"), folder("b")) == 0)
        Self.make(folder("a"))
        file.remove()
        #expect(folder.content == ["a", "b"])
    }

    @Test("Of two files each is removed by itself, and one that was not there is none")
    func several() throws {
        let folder = try TemporaryFolder()
        let none = SocketFile(path: folder("none"))
        for name in ["a", "b"] { Self.make(folder(name)) }
        let files = ["a", "b"].map { SocketFile(path: folder($0)) }
        Self.make(folder("none"))
        none.remove()
        files[1].remove()
        #expect(folder.content == ["a", "none"])
        files[0].remove()
        #expect(folder.content == ["none"])
    }

    #if os(Linux)
    @Test("A file is held open until it is removed, whether another one is at its path then or not")
    func held() throws {
        let folder = try TemporaryFolder()
        for isReplaced in [false, true] {
            Self.make(folder("a"))
            let file = SocketFile(path: folder("a"))
            #expect(try Self.heldCount(in: folder) == 1)
            if isReplaced {
                #expect(unlink(folder("a")) == 0)
                Self.make(folder("a"))
            }
            file.remove()
            #expect(try Self.heldCount(in: folder) == 0)
        }
    }
    #endif

    @Test("A socket is one at its own path, also when nobody listens at it; a link, a file and a folder are none")
    func exists() throws {
        let folder = try TemporaryFolder()
        let path = folder("h4")
        #expect(!UnixSocket.exists(at: path))
        let descriptor = try SocketFile.listen(at: path)
        #expect(UnixSocket.exists(at: path))
        close(descriptor)
        #expect(UnixSocket.exists(at: path))
        symlink(path, folder("link"))
        Self.make(folder("file"))
        for other in [folder("link"), folder("file"), folder.path, folder("h4/x")] {
            #expect(!UnixSocket.exists(at: other), "\(other)")
        }
    }

    @Test("A socket that nobody serves makes way, one that is served does not, and neither does a file or a link")
    func clear() throws {
        let folder = try TemporaryFolder()
        let path = folder("h4")
        try SocketFile.clear(path)
        let descriptor = try SocketFile.listen(at: path)
        let served = #expect(throws: TransportError.self) { try SocketFile.clear(path) }
        #expect(served?.code == .inUse)
        #expect(served?.message == "\(path) is served by another process: end it or choose another path")
        close(descriptor)
        symlink(path, folder("link"))
        Self.make(folder("file"))
        for other in [folder("link"), folder("file")] {
            let error = #expect(throws: TransportError.self) { try SocketFile.clear(other) }
            #expect(error?.code == .inUse)
            #expect(error?.message == "\(other) is there and is not a socket: remove it or choose another path")
        }
        try SocketFile.clear(path)
        #expect(folder.content == ["file", "link"])
    }

    @Test("The path of a socket may have 107 octets, and one more is an error")
    func longPaths() throws {
        let folder = try TemporaryFolder()
        let rest = 107 - folder.path.utf8.count - 1
        let longest = folder(String(repeating: "x", count: rest))
        try SocketFile.clear(longest)
        let descriptor = try SocketFile.listen(at: longest)
        #expect(UnixSocket.exists(at: longest))
        close(descriptor)
        try SocketFile.clear(longest)
        #expect(folder.content == [])
        let error = #expect(throws: TransportError.self) { try SocketFile.clear(longest + "x") }
        #expect(error?.code == .badName)
    }

    @Test("A socket cannot listen where one is, or in a folder that is not there")
    func listenFailures() throws {
        let folder = try TemporaryFolder()
        let descriptor = try SocketFile.listen(at: folder("h4"))
        defer { close(descriptor) }
        let taken = #expect(throws: TransportError.self) { _ = try SocketFile.listen(at: folder("h4")) }
        #expect(taken?.code == .inUse && taken?.errorNumber == EADDRINUSE)
        let missing = #expect(throws: TransportError.self) { _ = try SocketFile.listen(at: folder("no/h4")) }
        #expect(missing?.code == .notFound && missing?.errorNumber == ENOENT)
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0, "programs that this one starts do not have it")
    }
}
