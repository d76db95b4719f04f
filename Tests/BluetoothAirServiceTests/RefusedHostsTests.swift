// Hosts beyond the limit of an air's server while that closes: what comes in the same turn as the host at whom it
// closes is closed, too.

import BluetoothTransport
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAirService

@Suite("Refused hosts of a server that closes", .timeLimit(.minutes(2)))
struct RefusedHostsTests {
    @Test("A host that comes with the refused one at whom the server closes gets no answer, and nobody is told of it")
    func closeWhileRefusing() async throws {
        let folder = try TemporaryFolder()
        let path = folder("a")
        let limits = H4Server.Limits(connections: 1, refusals: 2)
        let served = try await AirServerTests.Served(.unix(path: path), limits: limits)
        let client = try RawSocket(unix: path)
        // An answer shows that the host is a client, so that the next ones are too many.
        #expect(client.complete(0x0C03).last == 0x00)
        let refusals = Watched<Int>(0)
        // The loop accepts both at once, and closes at the first.
        let hosts = try await served.loop.run {
            let server = served.server
            server.value?.observer = { event in
                guard case .refused = event else { return }
                refusals.update { $0 += 1 }
                server.value?.close()
            }
            return try (0..<2).map { _ in try RawSocket(unix: path) }
        }
        #expect(hosts[1].endsWithin20Seconds())
        #expect(client.endsWithin20Seconds())
        #expect(refusals.value == 1)
        #expect(try await served.controllerCount() == 0)
        #expect(try await served.clientCount() == 0)
    }
}
