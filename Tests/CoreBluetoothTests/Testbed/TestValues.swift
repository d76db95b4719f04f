// Values that several tests use: texts as octets and back, the attributes of a Magic 8-Ball, peers and bonds.

import BluetoothHost
import BluetoothTypes
import NIOCore

@testable import CoreBluetooth

extension String {
    /// The text as octets.
    var octets: Data { Data(self.utf8) }
}

extension Data {
    /// The octets as text.
    var text: String { String(decoding: self, as: UTF8.self) }
}

extension CBMutableCharacteristic {
    /// The characteristic that takes an 8-ball's questions.
    static func question() -> CBMutableCharacteristic {
        CBMutableCharacteristic(
            type: IDs.question,
            properties: [.write, .writeWithoutResponse],
            value: nil,
            permissions: [.writeable]
        )
    }

    /// The characteristic that notifies an 8-ball's answers.
    static func answer() -> CBMutableCharacteristic {
        CBMutableCharacteristic(
            type: IDs.answer,
            properties: [.read, .notify],
            value: nil,
            permissions: [.readable]
        )
    }

    /// A characteristic whose value only encrypted links can read.
    static func secret() -> CBMutableCharacteristic {
        CBMutableCharacteristic(type: IDs.secret, properties: .read, value: nil, permissions: .readEncryptionRequired)
    }
}

/// The UUIDs of the tests.
enum IDs {
    static var service: CBUUID { CBUUID(string: "8E38140A-27BE-4090-8955-4FC4B5698D1E") }
    static var question: CBUUID { CBUUID(string: "BDD37D7A-F66A-47B9-A49C-FE29FD235A77") }
    static var answer: CBUUID { CBUUID(string: "349A0D7B-6215-4E2C-A095-AF078D737445") }
    static var other: CBUUID { CBUUID(string: "FFF0") }
    static var secret: CBUUID { CBUUID(string: "FFF1") }
}

extension PeerDescription {
    /// A device without a name whose address is a number, with an identifier that no other one has.
    static func numbered(_ number: UInt64) -> PeerDescription {
        PeerDescription(identifier: UUID(), address: DeviceAddress(number, kind: .public), name: nil)
    }
}

extension Discovery {
    /// The discovery of an advertiser without data that can be connected to, at time zero.
    static func empty(of peer: PeerDescription, rssi: RSSI? = nil) -> Discovery {
        Discovery(
            peer: peer,
            advertisement: Advertisement(data: ByteBuffer(), scanResponse: nil, isConnectable: true),
            overflowServices: [],
            rssi: rssi,
            timestamp: 0,
            primaryPHY: 1,
            secondaryPHY: 0
        )
    }
}

extension Bond {
    /// A bond of LE Secure Connections: both sides have the same key of 16 octets, and the peer has a key for signing
    /// if there is a counter.
    static func symmetric(
        with peer: DeviceAddress,
        isAuthenticated: Bool = true,
        identity: IdentityInformation? = nil,
        signCounter: UInt32? = nil
    ) -> Bond {
        let key = LongTermKey(value: Octets16(high: 1, low: 2), encryptedDiversifier: 3, random: 4)
        let signing = signCounter.map {
            SigningKey(connectionSignatureResolvingKey: Octets16(high: 5, low: 6), signCounter: $0)
        }
        return Bond(
            peerAddress: peer,
            keySize: 16,
            isAuthenticated: isAuthenticated,
            isSecureConnections: true,
            local: PairingKeys(longTermKey: key),
            peer: PairingKeys(longTermKey: key, identity: identity, signing: signing)
        )
    }
}

extension CentralEvent {
    /// The strength of a signal was read.
    static func signal(_ result: Result<RSSI?, LEHostError>, of id: ConnectionID) -> CentralEvent {
        let reading = SignalReading()
        reading.result = result
        return .completed(id, HandedOperation(reading))
    }
}
