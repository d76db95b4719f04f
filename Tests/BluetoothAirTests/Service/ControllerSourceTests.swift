import BluetoothTransport
import NIOCore
import NIOPosix
import Testing

@testable import BluetoothAir

@Suite("Controllers by adapter name", .timeLimit(.minutes(2)))
struct ControllerSourceTests {
    @Test("A served air is reached by both of its names, each time anew")
    func sockets() async throws {
        let folder = try ScratchFolder()
        let served = try await AirServerTests.Served(.unix(path: folder("a")))
        let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
        let logger = KeptLog().logger
        var number: UInt8 = 0
        for name in ["air:\(folder("a"))", "h4:unix:\(folder("a"))"] {
            let name = try AdapterName(parsing: name)
            let source = try await loop.run {
                NIOLoopBound(ControllerSource(name, on: loop, logger: logger), eventLoop: loop)
            }
            for _ in 0..<2 {
                number += 1
                let host = try await Member.channel(loop) { source.value.open() }
                try await host.send([0x01, 0x09, 0x10, 0x00])
                let answer: [UInt8] = [0x04, 0x0E, 0x0A, 0x01, 0x09, 0x10, 0x00, number, 0, 0, 0, 0, 0]
                #expect(await host.seen.wait { $0.contains(answer) })
            }
        }
        try await served.close()
    }

    @Test(
        "What cannot be opened says why",
        arguments: ["hci0", "h4:serial:/dev/ttyACM0@1000000", "air:/nowhere/at/all"]
    )
    func errors(text: String) async throws {
        let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
        let logger = KeptLog().logger
        let name = try AdapterName(parsing: text)
        let error = await #expect(throws: TransportError.self) {
            try await loop.started { ControllerSource(name, on: loop, logger: logger).open() }
        }
        #expect(error?.code == (text.hasPrefix("air") ? .notFound : .unsupported))
    }
}
