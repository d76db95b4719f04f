// The newest document of each topic, and the connections that want it. A document that is replaced before a connection
// could take it is never sent to it, so a slow reader costs one document and not a queue. Lives on the server's event
// loop.

import NIOCore

/// Where streams of events get their documents.
final class EventTopics {
    /// A document, and how many came before it.
    struct Document {
        let version: Int
        let buffer: ByteBuffer
    }

    /// The most open connections, and the most of them that may be streams.
    static let connectionLimit = 64
    static let streamLimit = 32

    private var documents: [String: Document] = [:]
    private var streams: [ObjectIdentifier: ConnectionHandler] = [:]
    /// How many connections are open.
    var connectionCount = 0

    /// Whether one more connection is served.
    var hasRoom: Bool { self.connectionCount < Self.connectionLimit }

    /// The newest document.
    subscript(topic: String) -> Document? { self.documents[topic] }

    /// Replaces documents.
    func publish(_ texts: [String: String]) {
        for (topic, text) in texts {
            let version = (self.documents[topic]?.version ?? 0) + 1
            self.documents[topic] = Document(
                version: version,
                // HTML Living Standard, 9.2.6: the text has no line breaks.
                buffer: ByteBuffer(string: "event: state\nid: \(version)\ndata: \(text)\n\n")
            )
        }
        for stream in self.streams.values { stream.sendNewest() }
    }

    /// A connection wants documents; false where too many do.
    func add(_ stream: ConnectionHandler) -> Bool {
        guard self.streams.count < Self.streamLimit else { return false }
        self.streams[ObjectIdentifier(stream)] = stream
        return true
    }

    /// A connection is gone.
    func remove(_ stream: ConnectionHandler) { self.streams[ObjectIdentifier(stream)] = nil }
}
