// What a host with one peer has to do with it: the link, whose handle is 0x40, its encryption by the peer, and what
// goes over it in both directions, as octets in text.

import BluetoothHCI
import NIOCore

@testable import BluetoothHost

extension HostTestbed {
    /// A started host with a user of the test's own, whose data is reported as sent at once.
    static func used(by user: any LEHostDelegate) -> HostTestbed {
        let testbed = HostTestbed()
        testbed.host.delegate = user
        testbed.controller.dataIsAnswered = true
        testbed.start()
        return testbed
    }

    /// Connects to the peer in a role; its address is that of the peripheral of a ``SecurityManagerPair``.
    func connect(_ role: ConnectionRole) {
        let peer = SecurityManagerPair.peripheralAddress
        if role == .central {
            self.host.connect(to: peer)
            self.run()
        }
        self.controller.connect(0x40, peer: peer, role: role)
        self.run()
    }

    /// The peer, as the central, begins to encrypt with the key of the bond, and the controller says how that ended.
    func encrypt(_ status: HCIErrorCode = .success) {
        let handle = ConnectionHandle(rawValue: 0x40)
        self.controller.deliver(LELongTermKeyRequest(handle: handle, random: 0, encryptedDiversifier: 0).packet())
        self.controller.deliver(
            EncryptionChange(status: status, handle: handle, encryption: status == .success ? .on : .off).packet()
        )
        self.run()
    }

    /// Octets of the peer on a channel.
    func receive(_ channel: UInt16, _ octets: String) {
        self.controller.receive(0x40, channel: channel, Array(hex(octets).readableBytesView))
        self.run()
    }

    /// What was sent since the last call: the channel and the octets of each frame.
    func takeFrames() -> [String] {
        // In front of them are the type octet, the ACL data header and the length of the frame.
        self.controller.takeData().map { String(hex($0.bytes).dropFirst(21)) }
    }

    /// What was sent since the last call without the channels, such as ATT PDUs.
    func takePayloads() -> [String] {
        // In front of them are the headers of H4, ACL and L2CAP.
        self.controller.takeData().map { String(hex($0.bytes).dropFirst(27)) }
    }
}
