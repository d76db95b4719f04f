import BluetoothTransport
import Fixtures
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import BluetoothAirService

@Suite("Controllers by adapter name")
struct ControllerSourceTests {
    @Test("a served air is reached by both of its names, each time anew")
    func sockets() async throws {
        let folder = try TemporaryFolder()
        let served = try await AirServerTests.Served(.unix(path: folder("a")))
        let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
        let logger = LogLines().logger
        var number: UInt8 = 0
        for name in ["air:\(folder("a"))", "h4:unix:\(folder("a"))"] {
            let name = try AdapterName(parsing: name)
            let source = try await loop.run {
                NIOLoopBound(ControllerSource(name, on: loop, logger: logger), eventLoop: loop)
            }
            for _ in 0..<2 {
                number += 1
                let host = try await AirServiceHost.channel(loop) { source.value.open() }
                try await host.send([0x01, 0x09, 0x10, 0x00])
                let answer: [UInt8] = [0x04, 0x0E, 0x0A, 0x01, 0x09, 0x10, 0x00, number, 0, 0, 0, 0, 0]
                #expect(await host.seen.wait { $0.contains(answer) })
            }
        }
        try await served.close()
    }

    @Test(
        "fails with the cause if an adapter cannot be opened",
        arguments: ["h4:serial:/nowhere/at/all@1000000", "air:/nowhere/at/all", "h4:unix:/nowhere/at/all"]
    )
    func errors(text: String) async throws {
        let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
        let logger = LogLines().logger
        let name = try AdapterName(parsing: text)
        let error = await #expect(throws: TransportError.self) {
            try await loop.started { ControllerSource(name, on: loop, logger: logger).open() }
        }
        #expect(error?.code == .notFound)
    }
}
