import BluetoothHost
import Testbed
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

    @Test("the first subscriber has the descriptor written, and gets values before the answer")
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

    @Test("further subscribers cost nothing, and the last one has the descriptor written")
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

    @Test("B2 after a refusal the next subscriber asks for itself")
    func refused() {
        var subscription = Subscription<String>(to: Self.heart)
        _ = subscription.set(true, for: "a")
        subscription.written(isAccepted: false)
        #expect(subscription.isOff)
        #expect(subscription.set(true, for: "b") == .write(true))
    }

    @Test("a refused unsubscription leaves the subscriber subscribed")
    func refusedEnd() {
        var subscription = self.on("a")
        _ = subscription.set(false, for: "a")
        subscription.written(isAccepted: false)
        #expect(subscription.isSubscribed("a"))
    }

    @Test("B3 a subscriber whose connection ends is released at the peer when it was the last one")
    func release() {
        var subscription = self.on("a", "b")
        subscription.remove("a")
        #expect(!subscription.needsRelease)
        #expect(subscription.release() == .nothing)
        subscription.remove("b")
        #expect(subscription.needsRelease)
        #expect(subscription.release() == .write(false))
        subscription.written(isAccepted: true)
        #expect(subscription.isOff)
    }

    @Test("nothing is released that is off, or on its way on or off")
    func nothingToRelease() {
        var subscription = Subscription<String>(to: Self.heart)
        #expect(!subscription.needsRelease && subscription.release() == .nothing)
        _ = subscription.set(true, for: "a")
        #expect(!subscription.needsRelease && subscription.release() == .nothing)
        subscription.written(isAccepted: true)
        _ = subscription.set(false, for: "a")
        #expect(!subscription.needsRelease && subscription.release() == .nothing)
    }

    @Test("a subscriber stays where another one leaves while its write is under way")
    func anotherLeavesMeanwhile() {
        var enabling = Subscription<String>(to: Self.heart)
        _ = enabling.set(true, for: "a")
        enabling.remove("b")
        enabling.written(isAccepted: true)
        #expect(self.subscribers(enabling) == ["a"])
        var disabling = self.on("a")
        _ = disabling.set(false, for: "a")
        disabling.remove("b")
        disabling.written(isAccepted: false)
        #expect(self.subscribers(disabling) == ["a"])
    }

    @Test("B3 a release that another subscriber overtakes is not needed")
    func releaseOvertaken() {
        var subscription = self.on("a")
        subscription.remove("a")
        #expect(subscription.set(true, for: "b") == .nothing)
        #expect(subscription.release() == .nothing)
        #expect(self.subscribers(subscription) == ["b"])
    }

    @Test("a subscriber that leaves during its write is released after the answer")
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

        // A refusal keeps the subscription on, for nobody any more.
        var refused = self.on("a")
        _ = refused.set(false, for: "a")
        refused.remove("b")
        refused.remove("a")
        refused.written(isAccepted: false)
        #expect(self.subscribers(refused).isEmpty && refused.needsRelease)
    }
}
