// The body of an answer that does not end: server-sent events (HTML Living Standard, 9.2). It is pulled: when the
// browser has taken what was sent, the database is asked for what was stored since. So nothing is queued for a slow
// browser, and one that was away asks for what it has missed by the number of the last event (Last-Event-ID).

import FlyingFox
import FlyingSocks
import Foundation

/// The events of one page.
struct EventStream: AsyncBufferedSequence {
    typealias Element = UInt8

    /// The most values of one event; a page that has missed more loads its curves again.
    static let valueLimit = 500
    static let missedLimit = 5000

    let store: MeasurementStore
    let board: LiveBoard
    let page: OpenPage
    /// The place of the last value that the page has.
    let place: Int64

    func makeAsyncIterator() -> Iterator { Iterator(stream: self, place: self.place) }

    /// Where one page is.
    struct Iterator: AsyncBufferedIteratorProtocol {
        private let stream: EventStream
        private var place: Int64
        private var sensors = Data()
        /// The events that this page has seen; `nil` for none.
        private var version: Int?

        init(stream: EventStream, place: Int64) {
            self.stream = stream
            self.place = place
        }

        /// Not asked for: FlyingFox takes buffers.
        mutating func next() async throws -> UInt8? { try await self.nextBuffer(suggested: 1)?.first }

        mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
            if let version { await self.stream.board.wait(after: version) }
            self.version = await self.stream.board.version
            var text = ""
            let sensors = try PageDocuments.sensors(self.stream.store, connected: await self.stream.board.connected)
            if sensors != self.sensors {
                self.sensors = sensors
                text += "event: sensors\ndata: \(String(decoding: sensors, as: UTF8.self))\n\n"
            }
            let values = try self.stream.store.values(after: self.place, limit: EventStream.valueLimit)
            if let last = values.last?.place {
                self.place = last
                let data = try PageDocuments.encode(values)
                text += "event: values\nid: \(last)\ndata: \(String(decoding: data, as: UTF8.self))\n\n"
                // There may be more of them.
                if values.count == EventStream.valueLimit { self.version = nil }
            }
            // A line that says nothing finds out that the browser is gone.
            return Array((text.isEmpty ? ": \n\n" : text).utf8)
        }
    }
}

/// The page's data, as JSON.
enum PageDocuments {
    /// A sensor, for the page.
    private struct Sensor: Encodable {
        var id: Int64
        var name: String
        var isConnected: Bool
        var battery: Int?
        var number: UInt32?
        var time: Int64?
        var temperature: Int?
        var humidity: Int?
        var missing: Int
    }

    /// The sensors that are not forgotten.
    static func sensors(_ store: MeasurementStore, connected: Set<Int64>) throws -> Data {
        try self.encode(
            store.sensors().filter { !$0.isForgotten }.map { sensor in
                Sensor(
                    id: sensor.id,
                    name: sensor.name,
                    isConnected: connected.contains(sensor.id),
                    battery: sensor.battery,
                    number: sensor.number,
                    time: sensor.time,
                    temperature: sensor.temperature,
                    humidity: sensor.humidity,
                    missing: sensor.missing
                )
            }
        )
    }

    /// JSON in one line, with equal text for equal values.
    static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(value)
    }
}
