// What is left of a connection that has ended before its time limit: nothing, neither with the event loop nor with the
// topics.

import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import LoopbackWeb

@Suite("The memory of a connection")
struct ConnectionReleaseTests {
    /// How far a connection has come when it ends.
    enum Stage: CaseIterable {
        case idle
        case receiving
        case answering
        case streaming
    }

    @Test(
        "A connection that its peer has closed is kept by nobody, however much of its time is left",
        arguments: Stage.allCases
    )
    func released(stage: Stage) throws {
        let connection = try Connection { _, respond in
            if stage == .streaming { respond(.events(topic: "en")) }
        }
        weak var handler: ConnectionHandler?
        do { handler = try connection.channel.pipeline.syncOperations.handler(type: ConnectionHandler.self) }
        if stage != .idle { try connection.head() }
        if stage != .idle, stage != .receiving { try connection.end() }
        connection.advance(by: .seconds(1))
        #expect(handler != nil && connection.topics.connectionCount == 1)
        try connection.channel.close().wait()
        connection.channel.embeddedEventLoop.run()
        #expect(handler == nil && connection.topics.connectionCount == 0)
    }
}
