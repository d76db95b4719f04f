import Testing

@testable import CoreBluetooth

@Suite("12.2 Requests for channels")
struct ChannelOpenRequestsTests {
    @Test("serves one request after the other, each in its turn")
    func requests() {
        var requests = ChannelOpenRequests()
        #expect(requests.completed() == nil)
        #expect(requests.enqueue(0x80) == .open(0x80))
        #expect(requests.enqueue(0x7F) == nil && requests.enqueue(0xFF) == nil)
        #expect(requests.completed() == .refuse)
        #expect(requests.completed() == .open(0xFF))
        #expect(requests.completed() == nil)
        #expect(requests.enqueue(0x100) == .refuse && requests.enqueue(0x90) == nil)
        requests.cancelAll()
        #expect(requests.completed() == nil && requests.enqueue(0x91) == .open(0x91))
    }
}
