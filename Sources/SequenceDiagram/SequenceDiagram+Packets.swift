// Helpers for creators of diagrams: matching sent with received packets, and shortening texts.

extension SequenceDiagram {
    /// A packet in a trace.
    package struct Packet {
        /// Its content as shown; equal at both ends.
        package var content: String
        /// The device that sent or received it.
        package var device: String
        /// Whether the device sent it.
        package var isSent: Bool

        package var time: Duration

        /// Creates a packet.
        package init(content: String, device: String, isSent: Bool, time: Duration) {
            self.content = content
            self.device = device
            self.isSent = isSent
            self.time = time
        }
    }

    /// The maximum time between sending and receiving: more than the longest supervision timeout of a link, 32 s.
    private static let longestWay = Duration.seconds(40)

    /// For each sent packet, the index of the entry in which another device received it; `nil` entries are not packets.
    /// Equal packets are received in the order in which they were sent.
    package static func receptions(of packets: [Packet?]) -> [Int: Int] {
        var waiting: [String: [Int]] = [:]
        var receptions: [Int: Int] = [:]
        for (index, packet) in packets.enumerated() {
            guard let packet else { continue }
            if packet.isSent {
                waiting[packet.content, default: []].append(index)
                continue
            }
            let place = waiting[packet.content]?.firstIndex { sent in
                guard let sent = packets[sent] else { return false }
                return sent.device != packet.device && packet.time - sent.time < longestWay
            }
            if let place, let sent = waiting[packet.content]?.remove(at: place) { receptions[sent] = index }
        }
        return receptions
    }

    /// The text with long UUIDs and values cut to their beginnings.
    package static func shortened(_ text: String) -> String {
        text.split(separator: " ", omittingEmptySubsequences: false).map { word in
            let start = word.prefix { !$0.isHexDigit }
            let digits = word.dropFirst(start.count).prefix { $0.isHexDigit || $0 == "-" }
            guard digits.count > 20 else { return String(word) }
            return start + digits.prefix(8) + "…" + word.dropFirst(start.count + digits.count)
        }.joined(separator: " ")
    }
}
