// A link without a host, for tests of packet counters.

import BluetoothHCI
import BluetoothTypes
import NIOCore

@testable import BluetoothHost

extension HostLink {
    /// A link without a host.
    static func alone(_ number: UInt16) -> HostLink {
        let peer = DeviceAddress(UInt64(number), kind: .public)
        return HostLink(
            handle: ConnectionHandle(rawValue: number),
            information: LinkInformation(id: LinkID(rawValue: UInt32(number)), peer: peer, isCentral: true),
            timing: LinkTiming(
                interval: ConnectionInterval(rawValue: 24),
                latency: 0,
                supervisionTimeout: SupervisionTimeout(rawValue: 72)
            ),
            preferredMTU: ATT.defaultMTU,
            securityManager: SecurityManager(
                isCentral: true,
                localAddress: .none,
                peerAddress: peer,
                configuration: PairingConfiguration()
            )
        )
    }

    /// Puts a frame of one octet into the queue.
    func enqueueFrame() {
        var payload = PDUBuffer.make(capacity: 1)
        payload.writeInteger(UInt8(1))
        let packets = ACLFragmenter(payload, channel: .attributeProtocol, handle: self.handle, maximumLength: 27)
        self.outgoing.append(Frame(packets: packets, tag: .none))
    }
}
