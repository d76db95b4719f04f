// The keys of a bond, in the form that the nRF Sniffer's toolbar in Wireshark takes: 0x, the most significant octet
// first.

import BluetoothHost
import BluetoothTypes
import CommandLineTool
import CoreBluetooth

extension StoredBond {
    /// The keys that there are, a line each.
    var keyLines: [String] {
        guard let keys else { return [] }
        let (own, other) = (owner.description, peer.description)
        var lines: [String] = []
        func add(_ name: String, _ key: Octets16, _ words: String) {
            lines.append("\(name)  \(Self.digits(key))  \(words)")
        }
        if keys.isSecureConnections {
            if let key = keys.peer.longTermKey ?? keys.local.longTermKey { add("LTK ", key.value, "both ways") }
        } else {
            for (peripheral, key) in [(own, keys.local.longTermKey), (other, keys.peer.longTermKey)] {
                guard let key else { continue }
                let diversifier = HexadecimalText.number(key.encryptedDiversifier)
                add(
                    "LTK ",
                    key.value,
                    "if \(peripheral) is the peripheral, EDIV \(diversifier), Rand \(Self.digits(key.random))"
                )
            }
        }
        for (device, keys) in [(own, keys.local), (other, keys.peer)] {
            if let key = keys.identity?.identityResolvingKey, key != .zero { add("IRK ", key, "of \(device)") }
            if let key = keys.signing { add("CSRK", key.connectionSignatureResolvingKey, "of \(device)") }
        }
        return lines
    }

    /// For a JSON object: the keys that this device has distributed, and those of the other one.
    var keyDetails: [(key: String, value: JSONValue)] {
        [("ownKeys", Self.object(keys?.local)), ("peerKeys", Self.object(keys?.peer))]
    }

    private static func object(_ keys: PairingKeys?) -> JSONValue {
        guard let keys else { return .null }
        let key = keys.longTermKey
        return .object([
            ("ltk", JSONValue(key.map { digits($0.value) })),
            ("ediv", key.map { .integer(Int($0.encryptedDiversifier)) } ?? .null),
            ("rand", JSONValue(key.map { digits($0.random) })),
            ("irk", JSONValue(keys.identity.map { digits($0.identityResolvingKey) })),
            ("csrk", JSONValue(keys.signing.map { digits($0.connectionSignatureResolvingKey) })),
        ])
    }

    private static func digits(_ random: UInt64) -> String {
        "0x" + Octets16(high: 0, low: random).mostSignificantFirst.suffix(8).hexadecimalDigits()
    }

    private static func digits(_ key: Octets16) -> String { "0x" + key.mostSignificantFirst.hexadecimalDigits() }
}
