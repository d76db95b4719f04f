// The other device of a testbed's link: a central with which the host pairs for the first time.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

/// A central that pairs as specified, on the link 0x40 of a testbed.
final class PairingCentral {
    private let testbed: HostTestbed
    private var manager: SecurityManager
    private var context = SecurityManager.Context(now: .uptimeNanoseconds(0), generator: SeededGenerator(seed: 1))

    init(_ testbed: HostTestbed) {
        self.testbed = testbed
        self.manager = SecurityManager(
            isCentral: true,
            localAddress: SecurityManagerPair.peripheralAddress,
            peerAddress: testbed.host.address ?? DeviceAddress(0, kind: .public),
            configuration: PairingConfiguration()
        )
    }

    /// Pairs with Just Works, after which the link is encrypted.
    /// - Returns: The frames that the host sent meanwhile on other channels.
    func pair() throws -> [String] {
        var others: [String] = []
        self.manager.pair(.encrypted, &self.context)
        while true {
            try self.carryOut()
            let frames = self.testbed.takeFrames()
            guard !frames.isEmpty else { break }
            for frame in frames {
                if frame.hasPrefix("06 00 ") {
                    self.manager.receive(hex(String(frame.dropFirst(6))), &self.context)
                } else {
                    others.append(frame)
                }
            }
        }
        try #require(self.manager.security.level == .encrypted)
        return others
    }

    private func carryOut() throws {
        while !self.context.actions.isEmpty {
            let action = self.context.actions.removeFirst()
            switch action {
            case .send(let pdu): self.testbed.receive(6, hex(pdu))
            case .enableEncryption(let key):
                self.testbed.requestKey()
                let reply = try self.testbed.controller.last(LELongTermKeyRequestReply.self)
                try #require(reply.longTermKey == key.value)
                self.testbed.encryptionChanged()
                self.manager.encryptionChanged(.success, isEnabled: true, &self.context)
            case .replyToLongTermKeyRequest, .ask, .keypress, .securityChanged, .paired, .failed, .encryptionFailed:
                break
            }
        }
    }
}
