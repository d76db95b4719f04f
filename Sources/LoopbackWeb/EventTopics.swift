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
    /// The open connections without a request that passed the checks, the oldest first.
    private var unchecked: [ConnectionHandler] = []
    /// The number of the others.
    private var checkedCount = 0

    /// The number of open connections.
    var connectionCount: Int { self.unchecked.count + self.checkedCount }

    /// Counts a new connection; the oldest one that has not shown the token makes room for it if all are taken.
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

    /// A connection's request has passed the checks: it keeps its place.
    func keep(_ connection: ConnectionHandler) {
        guard let index = self.unchecked.firstIndex(where: { $0 === connection }) else { return }
        self.unchecked.remove(at: index)
        self.checkedCount += 1
    }

    /// A connection has ended.
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

    /// A connection wants documents; false where too many do.
    func add(_ stream: ConnectionHandler) -> Bool {
        guard self.streams.count < Self.streamLimit else { return false }
        self.streams[ObjectIdentifier(stream)] = stream
        return true
    }
}
