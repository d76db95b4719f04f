import Testing

@testable import BluetoothBlueZ

struct DiscoveryTests {
    @Test("calls BlueZ once at a time")
    func oneCall() {
        var discovery = Discovery()
        #expect(discovery.next() == nil)
        discovery.isWanted = true
        #expect(discovery.next() == .start)
        discovery.isWanted = false
        #expect(discovery.next() == nil)
        #expect(discovery.answered(true) == .stop)
        discovery.isWanted = true
        #expect(discovery.answered(true) == .start)
    }

    @Test("asks again after a refusal")
    func refusal() {
        var discovery = Discovery()
        discovery.isWanted = true
        #expect(discovery.next() == .start)
        #expect(discovery.answered(false) == .retryLater)
        #expect(discovery.next() == nil)
        #expect(discovery.retry() == .start)
    }
}
