// A channel on its way from the event loop to the app, and the limit of such channels.

import NIOConcurrencyHelpers

/// The app's reference to a channel. The channel closes with the last reference, even on the way to the app.
final class ChannelHandle: Sendable {
    let pipe: ChannelPipe
    let delivery: StreamSchedule.Delivery
    private let unclaimed: UnclaimedChannels
    private let isClaimed = NIOLockedValueBox(false)

    init(_ pipe: ChannelPipe, _ delivery: StreamSchedule.Delivery, _ unclaimed: UnclaimedChannels) {
        self.pipe = pipe
        self.delivery = delivery
        self.unclaimed = unclaimed
        unclaimed.add()
    }

    /// The app gets the channel.
    func claim() {
        let isFirst = self.isClaimed.withLockedValue { isClaimed in
            defer { isClaimed = true }
            return !isClaimed
        }
        if isFirst { self.unclaimed.remove() }
    }

    deinit {
        self.claim()
        self.pipe.change { $0.release(&$1) }
    }
}

/// Counts channels that are on their way to an app, so that peers cannot open more than it handles.
final class UnclaimedChannels: Sendable {
    /// The number of channels that may be on their way.
    static let limit = 64

    private let count = NIOLockedValueBox(0)

    /// Whether another channel may be opened.
    var hasCapacity: Bool { self.count.withLockedValue { $0 < Self.limit } }

    fileprivate func add() { self.count.withLockedValue { $0 += 1 } }
    fileprivate func remove() { self.count.withLockedValue { $0 -= 1 } }
}
