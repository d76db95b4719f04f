// What of the events of an app that cannot run now is kept for it.

import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Deferred events")
struct DeferredEventsTests {
    private let window = ReceiveWindow()

    private func discovery(_ number: Int, rssi: RSSI? = nil) -> CentralEvent {
        .discovered(.empty(of: .numbered(UInt64(number)), rssi: rssi), self.window)
    }

    /// The events as texts: discoveries as their numbers, others as `-`.
    private func texts(_ events: [CentralEvent]) -> [String] {
        events.map { event in
            guard case .discovered(let discovery, _) = event else { return "-" }
            return "\(discovery.peer.address.value)" + (discovery.rssi.map { " \($0)" } ?? "")
        }
    }

    @Test("of one peripheral the last discovery is kept, in its place")
    func lastDiscovery() {
        let (first, last) = (self.discovery(1, rssi: -40), self.discovery(1, rssi: -50))
        let events = CentralEvent.merged([first, self.discovery(2), .state(.poweredOn), last])
        #expect(self.texts(events) == ["2", "-", "1 -50 dBm"])
    }

    @Test("as many events as the limit are kept; of one more the oldest discovery is dropped, and nothing else is")
    func limit() {
        let limit = CentralEvent.deferredLimit
        let discoveries = (1..<limit).map { self.discovery($0) }
        let kept = CentralEvent.merged([.state(.poweredOn)] + discoveries)
        #expect(self.texts(kept) == ["-"] + (1..<limit).map { "\($0)" })
        let more = CentralEvent.merged(kept + [self.discovery(limit)])
        #expect(self.texts(more) == ["-"] + (2...limit).map { "\($0)" })
        // What may not be lost is kept beyond the limit.
        let states = Array(repeating: CentralEvent.state(.poweredOn), count: limit + 1)
        #expect(CentralEvent.merged(states).count == limit + 1)
        #expect(CentralEvent.merged(states + [self.discovery(1)]).count == limit + 1)
    }

    @Test("a connection that comes back by itself may be lost with its end; one that has ended for good may not")
    func connections() {
        let id = ConnectionID(token: PeripheralToken(index: 1, generation: 1), attempt: 1)
        let filler = Array(repeating: CentralEvent.state(.poweredOn), count: CentralEvent.deferredLimit)
        let events: [(CentralEvent, isLost: Bool)] = [
            (.connected(id, mtu: 23, TransmitWindow()), true),
            (.disconnected(id, nil, timestamp: 0, isReconnecting: true), true),
            (.disconnected(id, nil, timestamp: 0, isReconnecting: false), false),
            (.name(id, "A"), false), (.canSend(id), false),
        ]
        for (event, isLost) in events {
            #expect(CentralEvent.merged([event] + filler).count == filler.count + (isLost ? 0 : 1), "\(event)")
        }
    }

    @Test("a discovery that is dropped counts in its window no more")
    func windows() {
        let count = ReceiveWindow.size / (Discovery.size + 64) + 1
        for _ in 0..<count { _ = self.window.add(Discovery.size) }
        #expect(self.window.isFull)
        _ = CentralEvent.merged((0..<count).map { _ in self.discovery(1) })
        #expect(!self.window.isFull)
    }

    @Test("a discovery that is dropped for the limit counts in its window no more, either")
    func windowsAtTheLimit() {
        let count = ReceiveWindow.size / (Discovery.size + 64) + 1
        for _ in 0..<count { _ = self.window.add(Discovery.size) }
        let filler = Array(repeating: CentralEvent.state(.poweredOn), count: CentralEvent.deferredLimit)
        _ = CentralEvent.merged((0..<count).map { self.discovery($0) } + filler)
        #expect(!self.window.isFull)
    }

    @Test("an app is woken for what a device or its own request brings, not for what only changes a state")
    func waking() {
        let id = ConnectionID(token: PeripheralToken(index: 1, generation: 1), attempt: 1)
        let events: [(CentralEvent, wakes: Bool)] = [
            (.state(.poweredOn), false), (.mtu(id, 23, self.window), false), (.name(id, "A"), false),
            (.canSend(id), false), (self.discovery(1), true), (.connected(id, mtu: 23, TransmitWindow()), true),
            (.failedToConnect(id, .connectionTimeout), true),
            (.disconnected(id, nil, timestamp: 0, isReconnecting: false), true),
            (.value(id, AttributeHandle(3), ByteBuffer(), self.window), true),
            (.rssi(id, .success(nil)), true), (.unknownChannelEnded(id, 0x80), true),
        ]
        for (event, wakes) in events { #expect(event.isWorthWaking == wakes, "\(event)") }
    }
}
