import BluetoothHost
import Testing

@testable import CoreBluetooth

@Suite("Subscriptions to a characteristic")
struct SubscriptionTests {
    private static let heart = GATTRemoteCharacteristic(
        uuid: 0x2A37,
        properties: [.notify],
        declarationHandle: 2,
        valueHandle: 3,
        endHandle: 4
    )

    /// A subscription that the peer has accepted for some subscribers.
    private func on(_ subscribers: String...) -> Subscription<String> {
        var subscription = Subscription<String>(to: Self.heart)
        for (index, subscriber) in subscribers.enumerated() {
            #expect(subscription.set(true, for: subscriber) == (index == 0 ? .write(true) : .nothing))
            if index == 0 { subscription.written(isAccepted: true) }
        }
        return subscription
    }

    private func subscribers(_ subscription: Subscription<String>) -> [String] {
        var found: [String] = []
        subscription.forEachSubscriber { found.append($0) }
        return found
    }

    @Test("writes the descriptor for the first subscriber, which gets values before the answer")
    func first() {
        var subscription = Subscription<String>(to: Self.heart)
        #expect(subscription.isOff)
        #expect(subscription.set(true, for: "a") == .write(true))
        #expect(subscription.isSubscribed("a"))
        #expect(!subscription.isSubscribed("b"))
        subscription.written(isAccepted: true)
        #expect(self.subscribers(subscription) == ["a"])
        #expect(subscription.set(true, for: "a") == .nothing)
    }

    @Test("writes the descriptor again only for the last subscriber")
    func several() {
        var subscription = self.on("a", "b")
        #expect(self.subscribers(subscription) == ["a", "b"])
        #expect(subscription.set(false, for: "a") == .nothing)
        #expect(subscription.set(false, for: "a") == .nothing)
        #expect(subscription.set(false, for: "b") == .write(false))
        #expect(self.subscribers(subscription).isEmpty)
        subscription.written(isAccepted: true)
        #expect(subscription.isOff)
        #expect(subscription.set(false, for: "b") == .nothing)
    }

    @Test("R4 delivers values without the descriptor to those who asked")
    func listening() {
        var subscription = Subscription<String>(to: Self.heart)
        #expect(subscription.set(true, for: "a") == .write(true))
        subscription.written(isAccepted: false)
        subscription.listen(true, "a")
        // The next one looks for the descriptor, too.
        #expect(subscription.set(true, for: "b") == .write(true))
        subscription.written(isAccepted: false)
        subscription.listen(true, "b")
        subscription.listen(true, "b")
        #expect(self.subscribers(subscription) == ["a", "b"] && !subscription.needsRelease)
        subscription.listen(false, "a")
        #expect(subscription.isSubscribed("b") && !subscription.isSubscribed("a"))
        subscription.remove("b")
        #expect(subscription.isOff)
    }

    @Test("B2 keeps the state before a refused write")
    func refused() {
        var subscription = Subscription<String>(to: Self.heart)
        _ = subscription.set(true, for: "a")
        subscription.written(isAccepted: false)
        #expect(subscription.isOff && subscription.set(true, for: "b") == .write(true))
        var end = self.on("a")
        _ = end.set(false, for: "a")
        end.written(isAccepted: false)
        #expect(end.isSubscribed("a"))
    }

    @Test("B3 releases the descriptor when the connection of the last subscriber ends")
    func release() {
        var subscription = self.on("a", "b")
        subscription.remove("a")
        #expect(!subscription.needsRelease)
        #expect(subscription.release() == .nothing)
        subscription.remove("b")
        #expect(subscription.needsRelease)
        #expect(subscription.release() == .write(false))
        // A refused release leaves the peer's state as it is: the next subscriber needs no write.
        subscription.written(isAccepted: false)
        #expect(subscription.needsRelease && subscription.set(true, for: "c") == .nothing)
        subscription.remove("c")
        #expect(subscription.release() == .write(false))
        subscription.written(isAccepted: true)
        #expect(subscription.isOff)
    }

    @Test("B3 needs no release if another subscriber comes first")
    func releaseOvertaken() {
        var subscription = self.on("a")
        subscription.remove("a")
        #expect(subscription.set(true, for: "b") == .nothing)
        #expect(subscription.release() == .nothing)
        #expect(self.subscribers(subscription) == ["b"])
    }

    @Test("releases after the answer if the subscriber leaves during its write")
    func leftMeanwhile() {
        var enabling = Subscription<String>(to: Self.heart)
        _ = enabling.set(true, for: "a")
        enabling.remove("a")
        #expect(self.subscribers(enabling).isEmpty)
        enabling.written(isAccepted: true)
        #expect(enabling.needsRelease)

        var disabling = self.on("a")
        _ = disabling.set(false, for: "a")
        disabling.remove("a")
        disabling.written(isAccepted: true)
        #expect(disabling.isOff)

        var refused = self.on("a")
        _ = refused.set(false, for: "a")
        refused.remove("b")
        refused.remove("a")
        refused.written(isAccepted: false)
        #expect(self.subscribers(refused).isEmpty && refused.needsRelease)
    }
}
