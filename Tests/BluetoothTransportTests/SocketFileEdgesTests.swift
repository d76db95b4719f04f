// The file of a socket in unusual moments: the same file is back at its path behind its removal, and a server that has
// no time for another connection is asked whether it lives.

import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport

@Suite("Files of sockets: removed ones, and busy servers")
struct SocketFileEdgesTests {
    @Test("A file that was removed is forgotten: where the same one is at its path again, it stays")
    func forgotten() throws {
        let folder = try TemporaryFolder()
        #expect(FileManager.default.createFile(atPath: folder("a"), contents: nil))
        // A second name keeps the file.
        #expect(link(folder("a"), folder("b")) == 0)
        let file = SocketFile(path: folder("a"))
        file.remove()
        #expect(folder.content == ["b"])
        #expect(rename(folder("b"), folder("a")) == 0)
        file.remove()
        #expect(folder.content == ["a"])
    }

    #if os(Linux)
    @Test("A server whose queue of connections is full lives, and is not waited for")
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
        // On a thread of its own: where it waited, it would do so until the server is closed.
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
