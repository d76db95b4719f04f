import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothTransport

@Suite("Event loops without sockets")
struct UnsupportedLoopTests {
    /// The error of a connection that has failed already.
    private static func failure<Value>(_ future: EventLoopFuture<Value>) throws -> TransportError {
        try #require(throws: TransportError.self) {
            try future.assumeIsolated().map { _ in () }.nonisolated().wait()
        }
    }

    @Test(
        "a controller behind a socket needs a loop that can open sockets",
        arguments: [
            StreamAddress.unix(path: "/nowhere/h4"), .unix(path: "/" + String(repeating: "x", count: 120)),
            .tcp(host: "127.0.0.1", port: 9_101), .tcp(host: "::1", port: 1),
        ]
    )
    func connect(address: StreamAddress) throws {
        let error = try Self.failure(H4Channel.connect(to: address, on: EmbeddedEventLoop()))
        #expect(error.code == .unsupported && error.errorNumber == nil)
        #expect(error.message == "\(address) needs an event loop that can open sockets")
    }

    @Test("a server needs a loop that can open sockets, and leaves no file without one")
    func bind() throws {
        let folder = try TemporaryFolder()
        for address in [StreamAddress.unix(path: folder("h4")), .tcp(host: "127.0.0.1", port: 0)] {
            let server = H4Server.bind(to: address, on: EmbeddedEventLoop(), logger: LogLines().logger) { _ in }
            let error = try Self.failure(server)
            #expect(error.code == .unsupported)
            #expect(error.message == "\(address) needs an event loop that can open sockets")
        }
        #expect(folder.content == [])
    }

    @Test("a serial port needs a loop that can open devices")
    func serialPort() throws {
        let port = H4Channel.open(serialPort: "/dev/ttyX", bitsPerSecond: 9_600, on: EmbeddedEventLoop())
        let error = try Self.failure(port)
        #expect(error.code == .unsupported)
        #expect(error.message == "the serial port /dev/ttyX needs an event loop that can open devices")
    }

    #if os(Linux)
    @Test("a Linux adapter needs a loop that can open devices")
    func linuxAdapter() throws {
        let error = try Self.failure(H4Channel.open(linuxAdapter: 3, on: EmbeddedEventLoop()))
        #expect(error.code == .unsupported)
        #expect(error.message == "hci3 needs an event loop that can open devices")
    }
    #endif
}
