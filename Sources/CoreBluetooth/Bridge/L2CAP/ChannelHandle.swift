// A channel on its way from the event loop to the app, and how many of them there may be.

import NIOConcurrencyHelpers

/// The app's reference to a channel: with the last one the channel closes, wherever on the way to the app that is.
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

    /// The app is given the channel.
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

/// Counts channels that are on their way to an app, so that peers cannot open more than it looks at.
final class UnclaimedChannels: Sendable {
    /// How many may be on their way.
    static let limit = 64

    private let count = NIOLockedValueBox(0)

    /// Whether another channel may be opened.
    var hasCapacity: Bool { self.count.withLockedValue { $0 < Self.limit } }

    fileprivate func add() { self.count.withLockedValue { $0 += 1 } }
    fileprivate func remove() { self.count.withLockedValue { $0 -= 1 } }
}
