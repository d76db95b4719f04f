import BluetoothHCI
import BluetoothTransport
import Fixtures
import NIOCore
import NIOPosix
import Testing

@testable import BluetoothAirService

@Suite("Leaving the user's own air at once")
struct UserAirLeavingTests {
    private let folder: TemporaryFolder
    private let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
    /// Why joins and calls to serve have failed; `nil` for one that has not.
    private let ends = Watched<[TransportError.Code?]>([])

    init() throws { self.folder = try TemporaryFolder() }

    private static func part(_ folder: String, _ loop: any EventLoop) -> UserAir {
        UserAir(eventLoop: loop, configuration: .init(folder: folder), logger: LogLines().logger) {
            let air = ServedFakeAir(eventLoop: loop)
            return { air.makeController() }
        }
    }

    private static func note<Value>(_ future: EventLoopFuture<Value>, in ends: Watched<[TransportError.Code?]>) {
        future.assumeIsolated().whenComplete { result in
            var code: TransportError.Code?
            if case .failure(let error) = result { code = (error as? TransportError)?.code }
            let end = code
            ends.update { $0.append(end) }
        }
    }

    @Test("joins end when the air is left before this process serves it, and the socket goes", arguments: [1, 2])
    func joining(count: Int) async throws {
        let (path, loop, ends) = (self.folder.path, self.loop, self.ends)
        try await loop.run {
            let air = Self.part(path, loop)
            for _ in 0..<count { Self.note(air.join(), in: ends) }
            air.close()
        }
        #expect(await ends.wait { $0.count == count })
        #expect(ends.value == [TransportError.Code?](repeating: .closed, count: count))
        try await eventually { self.folder.content == ["air.lock"] }
        #expect(self.folder.content == ["air.lock"])
        // The lock is free again.
        try await eventually { try FileLock.take(self.folder("air.lock")) != nil }
        #expect(try FileLock.take(self.folder("air.lock")) != nil)
    }

    @Test("a call to serve fails when the air is left before it listens")
    func serving() async throws {
        let (path, loop, ends) = (self.folder.path, self.loop, self.ends)
        try await loop.run {
            let air = Self.part(path, loop)
            Self.note(air.serve(), in: ends)
            air.close()
        }
        #expect(await ends.wait { $0.count == 1 })
        #expect(ends.value == [.closed])
        try await eventually { self.folder.content == ["air.lock"] }
        #expect(self.folder.content == ["air.lock"])
    }
}
