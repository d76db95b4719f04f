import Fixtures
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import LoopbackWeb

@Suite("Connections in any order")
struct ConnectionSimulationTests {
    /// A connection, and what its browser has received.
    private struct Browser {
        let connection: Connection
        var answers = 0
        var document = 0
    }

    private static let responses: [WebResponse?] = [
        .content(type: "text/plain", Array("text".utf8)), .missing, .senseless, nil, .events(topic: "en"),
        .events(topic: "en"), .events(topic: "de"),
    ]

    @Test(
        "answers each request at most once, sends each stream only newer documents, and forgets each connection",
        arguments: simulationSeeds(8)
    )
    func connections(seed: UInt64) throws {
        var choices = SeededChoices(seed: seed)
        let topics = EventTopics()
        var browsers: [Browser] = []
        for step in 0..<150 {
            if browsers.count < 4 || choices.once(in: 6) {
                let response = choices.pick(Self.responses)
                browsers.append(
                    Browser(
                        connection: try Connection(topics: topics) { _, respond in if let response { respond(response) }
                        }
                    )
                )
            }
            try Self.act(on: browsers[browsers.count - 1 - choices.below(min(4, browsers.count))].connection, &choices)
            if choices.once(in: 2) { topics.publish([choices.pick(["en", "de", "fr"]): "\(step)"]) }
            let time = choices.pick([TimeAmount.zero, .nanoseconds(1), .seconds(1), .seconds(5), .seconds(10)])
            for index in browsers.indices {
                let connection = browsers[index].connection
                connection.advance(by: time)
                connection.channel.embeddedEventLoop.run()
                let (status, _, text) = try connection.written()
                if status != nil { browsers[index].answers += 1 }
                for match in text.matches(of: #/event: state\nid: ([0-9]+)\n/#) {
                    let number = try #require(Int(match.1))
                    #expect(number > browsers[index].document)
                    browsers[index].document = number
                }
                #expect(browsers[index].answers <= 1)
            }
            #expect(topics.connectionCount == browsers.count { $0.connection.channel.isActive })
        }
        for browser in browsers { _ = try? browser.connection.channel.finish(acceptAlreadyClosed: true) }
        #expect(topics.connectionCount == 0)
    }

    private static func act(on connection: Connection, _ choices: inout SeededChoices) throws {
        guard connection.channel.isActive else { return }
        switch choices.below(10) {
        case 0: try connection.send(HTTPRequestHead(version: .http1_1, method: .PUT, uri: "/", headers: ["Host": "x"]))
        case 1, 2: try connection.head(choices.pick([.GET, .POST]), choices.pick(["", "do/en", "events/en"]))
        case 3: try connection.body(choices.pick([0, 1, 8_192, 8_193]))
        case 4, 5, 6: try connection.end()
        case 7: connection.reader.isSlow = true
        case 8: try connection.reader.take(connection.channel)
        default:
            guard choices.once(in: 3) else { return }
            if choices.once(in: 2) {
                connection.channel.pipeline.fireErrorCaught(HTTPParserError.invalidMethod)
            } else {
                connection.channel.close(promise: nil)
            }
        }
    }
}
