// The newest document of each topic, and the connections that subscribe to it. If a document is replaced before a
// connection could send it, the connection skips it, so a slow reader costs one document and not a queue. Lives on the
// server's event loop.

import NIOCore

/// The source of documents for streams of events.
final class EventTopics {
    /// A document, and the number of documents before it.
    struct Document {
        let version: Int
        let buffer: ByteBuffer
    }

    /// The most open connections, and the most of them that may be streams.
    static let connectionLimit = 64
    static let streamLimit = 32

    private var documents: [String: Document] = [:]
    private var streams: [ObjectIdentifier: ConnectionHandler] = [:]
    /// The open connections without a request that passed the checks, the oldest first.
    private var unchecked: [ConnectionHandler] = []
    /// The number of other open connections.
    private var checkedCount = 0

    /// The number of open connections.
    var connectionCount: Int { self.unchecked.count + self.checkedCount }

    /// Counts a new connection. If there is no room, it replaces the oldest one that has not shown the token.
    ///
    /// - Returns: `false` if there is no room.
    func open(_ connection: ConnectionHandler) -> Bool {
        if self.connectionCount >= Self.connectionLimit {
            guard let oldest = self.unchecked.first else { return false }
            oldest.makeRoom()
        }
        self.unchecked.append(connection)
        return true
    }

    /// Keeps the place of a connection whose request has passed the checks.
    func keep(_ connection: ConnectionHandler) {
        guard let index = self.unchecked.firstIndex(where: { $0 === connection }) else { return }
        self.unchecked.remove(at: index)
        self.checkedCount += 1
    }

    /// Counts the end of a connection.
    func close(_ connection: ConnectionHandler) {
        self.streams[ObjectIdentifier(connection)] = nil
        if let index = self.unchecked.firstIndex(where: { $0 === connection }) {
            self.unchecked.remove(at: index)
        } else {
            self.checkedCount -= 1
        }
    }

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

    /// Subscribes a connection to documents; false if there are too many streams.
    func add(_ stream: ConnectionHandler) -> Bool {
        guard self.streams.count < Self.streamLimit else { return false }
        self.streams[ObjectIdentifier(stream)] = stream
        return true
    }
}
