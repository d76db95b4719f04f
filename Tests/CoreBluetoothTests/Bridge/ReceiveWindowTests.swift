// How much may wait for an app, at the exact edges.

import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Receive window")
struct ReceiveWindowTests {
    /// A value that counts `total` octets with what an event counts beside it.
    private func value(counting total: Int) -> Int { total - 64 }

    @Test("A2: the window is full with its last octet, once, and open again when half is taken")
    func edges() {
        let window = ReceiveWindow()
        let half = ReceiveWindow.size / 2
        #expect(window.add(self.value(counting: half)) == .none)
        #expect(window.add(self.value(counting: half - 65)) == .none)
        #expect(!window.isFull)
        #expect(window.add(self.value(counting: 65)) == .full)
        #expect(window.isFull)
        #expect(window.add(0) == .none, "it is full already")
        #expect(!window.remove(self.value(counting: half - 65)))
        #expect(!window.remove(0))
        #expect(window.isFull)
        #expect(window.remove(self.value(counting: 65)))
        #expect(!window.isFull)
        #expect(!window.remove(self.value(counting: half)), "it is open already")
    }

    @Test("A2: the limit is reported once, with its last octet", arguments: [0, 1])
    func limit(excess: Int) {
        let exact = ReceiveWindow()
        #expect(exact.add(self.value(counting: ReceiveWindow.limit - 65)) == .full)
        #expect(exact.add(self.value(counting: 65 + excess)) == .overrun)
        let window = ReceiveWindow()
        #expect(window.add(self.value(counting: ReceiveWindow.limit - 65)) == .full)
        #expect(window.add(0) == .none)
        #expect(window.add(0) == .overrun)
        #expect(window.add(0) == .none)
    }

    @Test("events that are taken together are counted once for each window, which is open again at half")
    func takenEvents() {
        let (first, second) = (ReceiveWindow(), ReceiveWindow())
        for window in [first, second] { #expect(window.add(self.value(counting: ReceiveWindow.size)) == .full) }
        var taken = TakenEvents<String>()
        let half = ReceiveWindow.size / 2
        #expect(taken.add(self.value(counting: half - 64), in: first, of: "first") == nil)
        #expect(taken.add(0, in: first, of: "first") == nil)
        #expect(first.isFull)
        #expect(taken.add(self.value(counting: half - 1), in: second, of: "second") == "first")
        #expect(!first.isFull)
        #expect(taken.flush() == nil && second.isFull)
        #expect(taken.add(0, in: second, of: "second") == nil)
        #expect(taken.flush() == "second")
        #expect(taken.flush() == nil)
    }
}
