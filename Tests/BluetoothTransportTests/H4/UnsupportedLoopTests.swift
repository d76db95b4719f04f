import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothTransport

@Suite("Event loops without sockets")
struct UnsupportedLoopTests {
    /// The error of a failed connection.
    private static func failure<Value>(_ future: EventLoopFuture<Value>) throws -> TransportError {
        try #require(throws: TransportError.self) {
            try future.assumeIsolated().map { _ in () }.nonisolated().wait()
        }
    }

    @Test("sockets, servers, serial ports and Linux adapters need an event loop that can open them")
    func unsupported() throws {
        let (loop, folder) = (EmbeddedEventLoop(), try TemporaryFolder())
        var errors: [(TransportError, String)] = []
        let (unix, tcp) = (StreamAddress.unix(path: folder("h4")), StreamAddress.tcp(host: "127.0.0.1", port: 0))
        let text = "needs an event loop that can open sockets"
        for address in [unix, tcp, .unix(path: "/" + String(repeating: "x", count: 120)), .tcp(host: "::1", port: 1)] {
            errors.append((try Self.failure(H4Channel.connect(to: address, on: loop)), "\(address) \(text)"))
        }
        for address in [unix, tcp] {
            let server = H4Server.bind(to: address, on: loop, logger: LogLines().logger) { _ in }
            errors.append((try Self.failure(server), "\(address) \(text)"))
        }
        let port = H4Channel.open(serialPort: "/dev/ttyX", bitsPerSecond: 9_600, on: loop)
        let serialText = "the serial port /dev/ttyX needs an event loop that can open devices"
        errors.append((try Self.failure(port), serialText))
        #if os(Linux)
        let adapter = H4Channel.open(linuxAdapter: 3, on: loop)
        errors.append((try Self.failure(adapter), "hci3 needs an event loop that can open devices"))
        #endif
        for (error, text) in errors {
            #expect(error.code == .unsupported && error.errorNumber == nil && error.message == text)
        }
        #expect(folder.content == [])
    }
}
