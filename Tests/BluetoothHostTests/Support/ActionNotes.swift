// What the machines of ATT and GATT do, on record: every action with its number, so that the order of actions counts,
// and when each bearer is next to be called.

import BluetoothTypes
import Fixtures
import NIOCore

@testable import BluetoothHost

/// Notes what a machine does in the record of the test that runs.
struct ActionNotes {
    /// How much was noted.
    private(set) var count: UInt64 = 0

    /// Notes a text.
    mutating func note(_ text: @autoclosure () -> String) {
        self.count += 1
        guard let record = RunRecord.current else { return }
        record.note("\(self.count) \(text())")
    }

    /// Notes octets that mean `name`.
    mutating func note(_ octets: ByteBuffer, _ name: UInt64) {
        self.count += 1
        guard let record = RunRecord.current else { return }
        octets.withUnsafeReadableBytes { record.note($0, name, at: self.count) }
    }

    /// Notes an action that was taken on a link.
    mutating func note(_ action: ATTBearer.Action, on link: LinkID) {
        let place = UInt64(link.rawValue) << 32
        switch action {
        case .send(let pdu, nil): self.note(pdu, place)
        case .send(let pdu, let transmission?):
            self.note(pdu, place | 1 | transmission.token.rawValue << 8 | UInt64(transmission.count) << 16)
        case .notification(let handle, let value): self.note(value, place | 2 | UInt64(handle) << 8)
        case .write(let request):
            for part in request.parts {
                self.note(part.value, place | 3 | UInt64(part.handle) << 8 | UInt64(part.offset) << 48)
            }
            self.note("\(link.rawValue) write \(request.id?.rawValue ?? 0) \(request.link) \(request.octetCount)")
        case .read(let request):
            self.note(
                "\(link.rawValue) read \(request.id.rawValue) \(request.link) \(request.handle) \(request.offset)"
            )
        case .dropped(let transmission):
            self.note("\(link.rawValue) dropped \(transmission.token.rawValue) \(transmission.count)")
        case .confirmed(let handle, let transmission):
            self.note("\(link.rawValue) confirmed \(handle) \(transmission.token.rawValue) \(transmission.count)")
        case .mtuChanged(let mtu): self.note("\(link.rawValue) mtu \(mtu)")
        case .failed(let failure): self.note("\(link.rawValue) failed \(failure)")
        case .make(let procedure): self.note("\(link.rawValue) make \(procedure.id.rawValue)")
        case .report(let procedure): self.note("\(link.rawValue) report \(procedure.id.rawValue)")
        case .servicesChanged(let range): self.note("\(link.rawValue) services changed \(range)")
        case .databaseOutOfSync: self.note("\(link.rawValue) out of sync")
        case .needsSecurity(let level): self.note("\(link.rawValue) needs \(level)")
        case .subscriptionChanged(let handle, let isSubscribed):
            self.note("\(link.rawValue) subscription \(handle) \(isSubscribed)")
        case .bondedClientChanged: self.note("\(link.rawValue) bonded client changed")
        case .signCounterAccepted(let counter): self.note("\(link.rawValue) counter \(counter)")
        }
    }

    /// Notes when a bearer is next to be called, and whether it has a batch.
    mutating func noteState(of bearer: ATTBearer) {
        let deadline = bearer.nextDeadline?.uptimeNanoseconds ?? 0
        self.note(ByteBuffer(integer: deadline), UInt64(bearer.link.rawValue) << 32 | (bearer.hasBatch ? 5 : 4))
    }
}
