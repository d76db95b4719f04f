// Files of the transport in unusual moments: names that are no whole path, a folder that is gone behind a rename, calls
// that fail again and again, and a server that nobody holds any more.

import Fixtures
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import BluetoothTransport

@Suite("Files of the transport: edges", .timeLimit(.minutes(2)))
struct TransportFilesEdgesTests {
    @Test("A folder of the session that is no whole path is left, also where there is such a folder")
    func relativeRuntimeFolder() throws {
        let folder = try TemporaryFolder()
        let variables = ["XDG_RUNTIME_DIR": ".", "TMPDIR": folder.path]
        #expect(try PrivateFolder.runtime { variables[$0] } == folder("corebluetooth-\(geteuid())"))
    }

    @Test("A rename whose folder cannot be written behind it is an error")
    func renameIsWritten() throws {
        let folder = try TemporaryFolder()
        #expect(mkdir(folder("d"), 0o700) == 0)
        // The way to the new name goes through the folder that is renamed, and is no way any more.
        let error = #expect(throws: TransportError.self) {
            try PrivateFile.rename(folder("d"), to: folder("d/../b"))
        }
        #expect(error?.errorNumber == ENOENT)
        #expect(error?.message.hasPrefix("cannot open the folder \(folder("d/.."))/") == true)
        #expect(folder.content == ["b"])
    }

    #if os(Linux)
    /// A file of the kernel that has fewer octets than its length says.
    private static let shortFile = "/sys/class/net/lo/mtu"

    private static let hasShortFile: Bool = {
        var status = stat()
        return stat(shortFile, &status) == 0 && status.st_size > 100 && access(shortFile, R_OK) == 0
    }()

    @Test(
        "A file that ends before its length is read to its end, also where an earlier call was interrupted",
        .enabled(if: hasShortFile),
        arguments: [0, EINTR] as [CInt]
    )
    func earlyEnd(number: CInt) async throws {
        let outcome = Watched<[UInt8]?>(nil)
        // On a thread of its own: where it tried again and again, it would do so for ever.
        let thread = Thread {
            errno = number
            let octets = (try? PrivateFile.read(Self.shortFile, limit: 1 << 20)) ?? []
            outcome.update { $0 = octets }
        }
        thread.start()
        #expect(await outcome.wait(seconds: 30) { $0 != nil })
        let octets = try #require(outcome.value)
        #expect((2...20).contains(octets.count) && octets.last == UInt8(ascii: "\n"))
    }

    @Test("A socket that cannot listen is closed")
    func failedListen() throws {
        func socketCount() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { descriptor in
                let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
                return file?.hasPrefix("socket:") == true
            }
        }
        let folder = try TemporaryFolder()
        let before = try socketCount()
        for _ in 0..<400 {
            #expect(throws: TransportError.self) { _ = try SocketFile.listen(at: folder("no/h4")) }
        }
        // Other tests open sockets, too, but not so many.
        #expect(try socketCount() - before < 300)
    }
    #endif

    @Test("A server that nobody holds any more takes no connections, and its file is gone")
    func released() async throws {
        let folder = try TemporaryFolder()
        let path = folder("h4")
        let logger = LogLines().logger
        let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
        var server: NIOLoopBound<H4Server>? = try await loop.started {
            H4Server.bind(to: .unix(path: path), on: loop, logger: logger) { _ in }
        }
        #expect(server != nil)
        // A second name of the socket outlives its file.
        #expect(link(path, folder("other")) == 0)
        #expect((try? RawSocket(unix: folder("other"))) != nil)
        server = nil
        try await eventually { (try? RawSocket(unix: folder("other"))) == nil }
        #expect((try? RawSocket(unix: folder("other"))) == nil)
        #expect(folder.content == ["other"])
    }
}
