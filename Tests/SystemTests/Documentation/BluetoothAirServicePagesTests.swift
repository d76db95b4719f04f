// The program of the page of BluetoothAirService at work, with a host that joins and leaves.

import BluetoothAirService
import BluetoothTransport
import Fixtures
import NIOCore
import NIOPosix
import Testing

@Suite("Page of BluetoothAirService")
struct BluetoothAirServicePagesTests {
    @Test("serves an air on a socket")
    func servesAnAir() async throws {
        let folder = try TemporaryFolder()
        let address = StreamAddress.unix(path: folder("air"))
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let (events, continuation) = AsyncStream.makeStream(of: AirServerEvent.self)
        let served = try await ServedAir.start(at: address, on: loop) { continuation.yield($0) }.get()
        _ = try await VersionReader.version(of: address, on: loop).get()

        var iterator = events.makeAsyncIterator()
        guard case .connected(let client)? = await iterator.next() else {
            Issue.record("no client has connected")
            return
        }
        #expect(client.number == 1)
        guard case .disconnected(client, _)? = await iterator.next() else {
            Issue.record("the client was not disconnected")
            return
        }
        try await loop.submit { served.value.close() }.get()
        await #expect(throws: TransportError.self) {
            try await VersionReader.version(of: address, on: loop).get()
        }
    }
}
