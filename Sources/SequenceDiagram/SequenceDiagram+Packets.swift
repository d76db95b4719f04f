// What makers of diagrams have in common: which packet that one device sent another one has received, and texts that fit.

extension SequenceDiagram {
    /// A packet in a trace.
    package struct Packet {
        /// What is in it, as it is shown; equal at both ends.
        package var content: String
        /// The device that sent or received it.
        package var device: String
        /// Whether the device has sent it.
        package var isSent: Bool
        /// When.
        package var time: Duration

        /// A packet.
        package init(content: String, device: String, isSent: Bool, time: Duration) {
            self.content = content
            self.device = device
            self.isSent = isSent
            self.time = time
        }
    }

    /// For how long a packet may be on its way: longer than the longest supervision timeout of a link, 32 s.
    private static let longestWay = Duration.seconds(40)

    /// For each packet that was sent, the place of the one that another device received; `nil` stands for what is no
    /// packet. Of equal ones the first that was sent is the first that is received.
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

    /// The text with the beginnings of long UUIDs and values alone: a picture has no room for all of them.
    package static func shortened(_ text: String) -> String {
        text.split(separator: " ", omittingEmptySubsequences: false).map { word in
            let start = word.prefix { !$0.isHexDigit }
            let digits = word.dropFirst(start.count).prefix { $0.isHexDigit || $0 == "-" }
            guard digits.count > 20 else { return String(word) }
            return start + digits.prefix(8) + "…" + word.dropFirst(start.count + digits.count)
        }.joined(separator: " ")
    }
}
