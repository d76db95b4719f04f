import NIOCore
import Testing

@testable import BluetoothBlueZ

struct SubscriptionsTests {
    private let path = "/c"
    private let one = ByteBuffer(string: "1")
    private let two = ByteBuffer(string: "2")

    @Test("give values of subscribed characteristics alone")
    func active() {
        var subscriptions = Subscriptions()
        #expect(subscriptions.received(self.one, of: self.path) == nil)
        subscriptions.begin(self.path)
        #expect(subscriptions.received(self.one, of: self.path) == self.one)
        subscriptions.end(self.path)
        #expect(subscriptions.received(self.one, of: self.path) == nil)
    }

    @Test("keep values while a read lasts, and drop the one that was read")
    func reading() {
        var subscriptions = Subscriptions()
        subscriptions.begin(self.path)
        subscriptions.readBegan(self.path)
        for value in [self.one, self.two, self.one] { #expect(subscriptions.received(value, of: self.path) == nil) }
        #expect(subscriptions.readEnded(self.path, value: self.one) == [self.one, self.two])
        #expect(subscriptions.received(self.two, of: self.path) == self.two)
    }

    @Test("keep no more values than the limit")
    func limit() {
        var subscriptions = Subscriptions()
        subscriptions.begin(self.path)
        subscriptions.readBegan(self.path)
        for _ in 0..<10_000 { _ = subscriptions.received(self.one, of: self.path) }
        #expect(subscriptions.readEnded(self.path, value: nil).count == 256)
    }
}
