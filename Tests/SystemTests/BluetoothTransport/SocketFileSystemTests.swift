import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport

@Suite("Sockets and their files")
struct SocketFileSystemTests {
    /// Creates a file, which stands for that of a socket.
    private static func make(_ path: String) {
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
    }

    @Test("recognizes a socket at its own path, even if nobody listens on it, but not a link, a file or a folder")
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

    @Test("replaces a socket that nobody serves, but not one that is served, a file or a link")
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

    @Test("rejects a socket path of more than 107 octets")
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

    @Test("fails to listen at a used path, or in a missing folder")
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

    #if os(Linux)
    @Test("a server whose queue of connections is full is alive, and is not waited for")
    func busy() async throws {
        let folder = try TemporaryFolder()
        let path = folder("h4")
        let server = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        try #require(server >= 0)
        let isBound = try withSocketAddress(path) { bind(server, $0, $1) } == 0
        #expect(isBound && listen(server, 0) == 0)
        var clients: [CInt] = []
        var isFull = false
        while !isFull, clients.count < 100 {
            let client = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
            clients.append(client)
            _ = fcntl(client, F_SETFL, fcntl(client, F_GETFL) | O_NONBLOCK)
            isFull = try withSocketAddress(path) { connect(client, $0, $1) } != 0 && errno == EAGAIN
        }
        #expect(isFull)
        // On its own thread: it might wait until the server is closed.
        let outcome = Watched<String?>(nil)
        let thread = Thread {
            do throws(TransportError) {
                try SocketFile.clear(path)
                outcome.update { $0 = "cleared" }
            } catch {
                let message = error.message
                outcome.update { $0 = message }
            }
        }
        thread.start()
        let isKnown = await outcome.wait(seconds: 30) { $0 != nil }
        #expect(isKnown)
        #expect(outcome.value == "\(path) is served by another process: end it or choose another path")
        for descriptor in clients + [server] { close(descriptor) }
        #expect(folder.content == ["h4"])
    }
    #endif
}
