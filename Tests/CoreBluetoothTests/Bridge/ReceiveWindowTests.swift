import Testing

@testable import CoreBluetooth

@Suite("A2 Receive window")
struct ReceiveWindowTests {
    /// The length of a value that counts as `total` octets.
    private func value(counting total: Int) -> Int { total - 64 }

    @Test("is full with its last octet, and open again when half is taken")
    func edges() {
        let window = ReceiveWindow()
        let half = ReceiveWindow.size / 2
        #expect(window.add(self.value(counting: half)) == .none)
        #expect(window.add(self.value(counting: half - 65)) == .none)
        #expect(!window.isFull)
        #expect(window.add(self.value(counting: 65)) == .full)
        #expect(window.isFull)
        #expect(window.add(0) == .none)
        #expect(!window.remove(self.value(counting: half - 65)))
        #expect(!window.remove(0))
        #expect(window.isFull)
        #expect(window.remove(self.value(counting: 65)))
        #expect(!window.isFull)
        #expect(!window.remove(self.value(counting: half)))
    }

    @Test("reports the limit once, with its last octet", arguments: [0, 1])
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

    @Test("counts events that are taken together once for each window")
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
