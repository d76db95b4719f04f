// The adapters of a test on record: the packets between each host and its controller with their times, the calls of
// apps, and those of their delegates.

import BluetoothHCI
import BluetoothTransport
import CoreBluetooth
package import Fixtures
import NIOCore
package import Testing

extension Trait where Self == OnRecord {
    /// What the adapters in virtual time do that a test makes is on record; see `RunRecord`.
    package static var adaptersOnRecord: OnRecord {
        OnRecord { record, test in
            try await AdapterObservation.$make.withValue(
                { AdapterNotes(record, on: $0, name: $1.value) },
                operation: test
            )
        }
    }
}

/// Notes what passes at one adapter.
private final class AdapterNotes: AdapterObserver {
    private let record: RunRecord
    private let eventLoop: any EventLoop
    private let name: UInt64

    init(_ record: RunRecord, on eventLoop: any EventLoop, name: UInt64) {
        self.record = record
        self.eventLoop = eventLoop
        self.name = name
    }

    func called(_ call: String) { self.record.note("\(self.name) calls \(call)") }

    func callsDelegate(_ callback: String) { self.record.note("\(self.name) is called \(callback)") }

    func passes(_ packet: HCIPacket, _ direction: BTSnoop.Direction) {
        let name = self.name << 1 | (direction == .toHost ? 1 : 0)
        packet.bytes.withUnsafeReadableBytes { self.record.note($0, name, at: self.eventLoop.now.uptimeNanoseconds) }
    }
}
