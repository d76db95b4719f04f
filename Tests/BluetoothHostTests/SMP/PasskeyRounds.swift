// The rounds of Passkey Entry of LE Secure Connections (Vol 3, Part H, 2.3.5.6.3), as performed by a tester who knows
// the passkey and has the key and the last nonce of the scripts.

import BluetoothTypes
import Testing

@testable import BluetoothHost

extension SecurityManagerScript {
    /// The tester's nonce of the last round, most significant octet first.
    private static let lastNonce = "EAE8B5BB70CCB134FA77F39A5962B4CE"

    private static func key(_ text: String) throws -> Octets32 {
        guard case .pairingPublicKey(let key) = try SMPCommand(parsing: hex("0C \(text)")) else { return .zero }
        return key.x
    }

    /// Makes the first rounds of a passkey. What a central sends at the end is left to the script.
    mutating func makeRounds(_ passkey: UInt32, count: Int) throws {
        let (tester, own) = (try Self.key(Self.testerKey), try Self.key(Self.ownKey))
        func parsed(_ output: [String]) throws -> SMPCommand {
            try SMPCommand(parsing: hex(String(try #require(output.first).dropFirst(2))))
        }
        for round in 0..<count {
            let z = 0x80 | UInt8(passkey >> UInt32(round) & 1)
            let nonce = round == 19 ? octets16(Self.lastNonce) : Octets16(high: 0x1234, low: UInt64(round + 1))
            let confirm = SMPCommand.pairingConfirm(SecurityToolbox.f4(tester, own, nonce, z))
            var promise = self.lastConfirm
            self.receive(confirm.encoded())
            var output = self.takeOutput()
            if !self.manager.isCentral {
                promise = output.first
                self.receive(SMPCommand.pairingRandom(nonce).encoded())
                output = self.takeOutput()
            }
            guard case .pairingRandom(let ownNonce) = try parsed(output) else {
                Issue.record("no nonce in round \(round)")
                return
            }
            let expected = SMPCommand.pairingConfirm(SecurityToolbox.f4(own, tester, ownNonce, z)).encoded()
            #expect(promise == "< " + hex(expected), "round \(round)")
            guard self.manager.isCentral else { continue }
            self.receive(SMPCommand.pairingRandom(nonce).encoded())
            if round == count - 1 { return }
            _ = self.takeOutput()
        }
    }
}
