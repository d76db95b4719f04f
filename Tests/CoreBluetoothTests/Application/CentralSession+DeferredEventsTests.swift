import BluetoothHost
import BluetoothTypes
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("Deferred events")
struct DeferredCentralEventsTests {
    private let window = ReceiveWindow()

    private func discovery(_ number: Int, rssi: RSSI? = nil) -> CentralEvent {
        .discovered(.empty(of: .numbered(UInt64(number)), rssi: rssi), self.window)
    }

    /// Discoveries as their numbers, other events as `-`.
    private func texts(_ events: [CentralEvent]) -> [String] {
        events.map { event in
            guard case .discovered(let discovery, _) = event else { return "-" }
            return "\(discovery.peer.address.value)" + (discovery.rssi.map { " \($0)" } ?? "")
        }
    }

    @Test("keeps the last discovery of each peripheral, in its place")
    func lastDiscovery() {
        let (first, last) = (self.discovery(1, rssi: -40), self.discovery(1, rssi: -50))
        let events = CentralEvent.merged([first, self.discovery(2), .state(.poweredOn), last])
        #expect(self.texts(events) == ["2", "-", "1 -50 dBm"])
    }

    @Test("drops the oldest discovery beyond the limit, and nothing that may not be lost")
    func limit() {
        let limit = CentralEvent.deferredLimit
        let discoveries = (1..<limit).map { self.discovery($0) }
        let kept = CentralEvent.merged([.state(.poweredOn)] + discoveries)
        #expect(self.texts(kept) == ["-"] + (1..<limit).map { "\($0)" })
        let more = CentralEvent.merged(kept + [self.discovery(limit)])
        #expect(self.texts(more) == ["-"] + (2...limit).map { "\($0)" })
        let states = Array(repeating: CentralEvent.state(.poweredOn), count: limit + 1)
        #expect(CentralEvent.merged(states).count == limit + 1)
        #expect(CentralEvent.merged(states + [self.discovery(1)]).count == limit + 1)
    }

    @Test("drops a connection that comes back by itself with its end, and no final end")
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

    @Test("uncounts dropped discoveries in their window", arguments: [true, false])
    func windows(isSamePeripheral: Bool) {
        let count = ReceiveWindow.size / (Discovery.size + 64) + 1
        for _ in 0..<count { _ = self.window.add(Discovery.size) }
        #expect(self.window.isFull)
        let filler = Array(repeating: CentralEvent.state(.poweredOn), count: CentralEvent.deferredLimit)
        let discoveries = (0..<count).map { self.discovery(isSamePeripheral ? 1 : $0) }
        _ = CentralEvent.merged(discoveries + (isSamePeripheral ? [] : filler))
        #expect(!self.window.isFull)
    }

    @Test("wakes an app for events of a device or of its requests, not for a mere change of state")
    func waking() {
        let id = ConnectionID(token: PeripheralToken(index: 1, generation: 1), attempt: 1)
        let events: [(CentralEvent, wakes: Bool)] = [
            (.state(.poweredOn), false), (.mtu(id, 23, self.window), false), (.name(id, "A"), false),
            (.canSend(id), false), (self.discovery(1), true), (.connected(id, mtu: 23, TransmitWindow()), true),
            (.failedToConnect(id, .connectionTimeout), true),
            (.disconnected(id, nil, timestamp: 0, isReconnecting: false), true),
            (.value(id, AttributeHandle(3), ByteBuffer(), self.window), true),
            (.signal(.success(nil), of: id), true), (.unknownChannelEnded(id, 0x80), true),
        ]
        for (event, wakes) in events { #expect(event.isWorthWaking == wakes, "\(event)") }
    }
}
