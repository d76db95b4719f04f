// A server with one client, step by step: a test gives it a PDU, an answer of the application or a value, and takes out
// what it has done, in words of its own.

import BluetoothTypes
import NIOCore

@testable import BluetoothHost

/// The server of ``GATTServerFixture`` with one client on link 1. No time goes by.
struct ServerTrial {
    private static let link = LinkID(rawValue: 1)
    private static let now = NIODeadline.uptimeNanoseconds(0)
    private var links: ServedLinks
    private var events: [ServedLinks.Event] = []

    init() throws {
        self.links = ServedLinks(try GATTServerFixture.server())
        self.links.linkOpened(Self.link)
    }

    // MARK: The client

    mutating func receive(_ octets: String) {
        self.links.receive(hex(octets), on: Self.link, now: Self.now, into: &self.events)
    }

    mutating func close() { self.links.linkClosed(Self.link, into: &self.events) }

    // MARK: The application

    mutating func answer(_ id: UInt64, error: ATTErrorCode? = nil) {
        self.links.respond(to: GATTRequestID(rawValue: id), error: error, into: &self.events)
    }

    mutating func answer(_ id: UInt64, value: String) {
        self.links.respond(to: GATTRequestID(rawValue: id), with: .success(hex(value)), into: &self.events)
    }

    /// Sends a value of the owner `token`.
    mutating func notify(_ handle: AttributeHandle, _ token: UInt64, value: String = "01") {
        self.links.notify(
            hex(value),
            characteristic: handle,
            on: Self.link,
            token: TransmitToken(rawValue: token),
            now: Self.now,
            into: &self.events
        )
    }

    /// The driver's turn ends.
    mutating func flush() { self.links.flush(into: &self.events) }

    // MARK: The local client

    /// It asks for the MTU.
    mutating func hold() { self.links.beginMTUExchange(on: Self.link) }

    /// It has its answer.
    mutating func release() { self.links.endMTUExchange(on: Self.link, now: Self.now, into: &self.events) }

    // MARK: Looking

    /// What the server has done since the last time, as far as `text` has words for it.
    mutating func take(_ text: (ATTBearer.Action) -> String?) -> [String] {
        defer { self.events.removeAll() }
        return self.events.compactMap { text($0.action) }
    }
}
