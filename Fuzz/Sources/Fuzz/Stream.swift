// Numbered values that one side sends as fast as it may, so that it has to wait for a slow receiver. Both sides know
// their order and number.

import Foundation

/// The consumers' behaviour, from the first octet of an input.
struct Consumers {
    /// Whether the app connects, rather than its peer.
    let appConnects: Bool
    /// The time for which events wait for the app, in milliseconds.
    let delay: Int
    /// Whether both sides send a stream of values, more than all windows and buffers hold.
    let hasStreams: Bool
    /// Whether the app leaves its channels unread until the end.
    let leavesChannelsUnread: Bool

    init(_ octet: UInt8) {
        self.appConnects = octet & 0x01 == 0
        self.delay = [0, 5, 50, 250][Int(octet >> 1 & 0x03)]
        self.hasStreams = octet & 0x08 != 0
        self.leavesChannelsUnread = octet & 0x10 != 0
    }
}

/// The values of a stream.
enum StreamValue {
    /// More than a window, the buffers of both controllers and the windows of a sender hold.
    static let count = 2000
    static let length = 240
    private static let mark: UInt8 = 0xF1

    static func octets(_ number: Int) -> [UInt8] {
        let head = [Self.mark, UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
        return head + [UInt8](repeating: Self.mark, count: Self.length - head.count)
    }

    /// The number of a value; `nil` if it does not belong to a stream.
    static func number(_ octets: some Collection<UInt8>) -> Int? {
        guard octets.count == Self.length, octets.first == Self.mark else { return nil }
        let head = Array(octets.prefix(3))
        return Int(head[1]) | Int(head[2]) << 8
    }
}

/// The received part of a stream.
struct ReceivedStream {
    /// The number of received values.
    private(set) var count = 0
    /// Whether the values arrived in order.
    private(set) var isInOrder = true

    /// Counts a value, if it belongs to a stream.
    mutating func take(_ octets: some Collection<UInt8>) {
        guard let number = StreamValue.number(octets) else { return }
        self.isInOrder = self.isInOrder && number == self.count
        self.count += 1
    }

    var isWhole: Bool { self.isInOrder && self.count == StreamValue.count }
}
