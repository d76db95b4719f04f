// PDUs from a server: answers, which belong to the operation that runs, and notifications and indications, which are
// handed on at once (Vol 3, Part F, 3.4.7; Vol 3, Part G, 4.10 and 4.11).

import BluetoothTypes
import NIOCore

extension GATTClient {
    /// Whether a server can notify a value of this attribute on a usable bearer.
    @inline(__always)
    func acceptsNotification(of handle: AttributeHandle) -> Bool {
        // Until a bonded server has shown that it has the key, it may be an impostor (CVE-2020-9770).
        !self.isHeld && handle != 0
    }

    /// Takes a PDU that a server sends: a response, a notification or an indication.
    ///
    /// Others are ignored.
    mutating func receive(
        _ pdu: ByteBuffer,
        on bearer: inout ATTBearer,
        now: NIODeadline,
        into actions: inout [Action]
    ) {
        // Until a bonded server has shown that it has the key, it may be an impostor (CVE-2020-9770).
        guard bearer.isUsable, !self.isHeld, let opcode = ATT.opcode(of: pdu), !opcode.isForServer else { return }
        switch opcode {
        case .handleValueNotification:
            self.receiveNotification(pdu, into: &actions)
        case .handleValueIndication:
            self.receiveIndication(pdu, into: &actions)
        case .multipleHandleValueNotification:
            self.receiveMultipleNotification(pdu, into: &actions)
        default:
            self.receiveResponse(pdu, opcode, on: &bearer, now: now, into: &actions)
        }
    }

    private func receiveNotification(_ pdu: ByteBuffer, into actions: inout [Action]) {
        guard let notification = try? ATTHandleValueNotification(parsingParametersOf: pdu),
            self.acceptsNotification(of: notification.handle)
        else { return }
        actions.append(.notification(notification.handle, notification.value))
    }

    /// All notifications of one PDU, or none if one of them is cut short.
    private func receiveMultipleNotification(_ pdu: ByteBuffer, into actions: inout [Action]) {
        guard let notification = try? ATTMultipleHandleValueNotification(parsing: pdu) else { return }
        for (handle, value) in notification.list where handle != 0 {
            actions.append(.notification(handle, value))
        }
    }

    /// An indication is confirmed before anything else happens: the server may not send the next one until then.
    private func receiveIndication(_ pdu: ByteBuffer, into actions: inout [Action]) {
        guard let indication = try? ATTHandleValueIndication(parsing: pdu) else { return }
        actions.append(.send(ATTHandleValueConfirmation().encoded(), nil))
        if indication.handle == self.serviceChangedHandle {
            actions.append(.servicesChanged(Self.changedRange(indication.value)))
        } else if indication.handle != 0 {
            actions.append(.notification(indication.handle, indication.value))
        }
    }

    /// The range of a Service Changed value (Vol 3, Part G, 7.1).
    ///
    /// An invalid value still says that something changed, so it means all services.
    private static func changedRange(_ value: ByteBuffer) -> AttributeHandleRange {
        var value = value
        guard value.readableBytes == 4,
            let (first, last) = value.readMultipleIntegers(endianness: .little, as: (UInt16, UInt16).self),
            first != 0, first <= last
        else { return 0x0001...0xFFFF }
        return first...last
    }
}
