// A packet of the mesh, as it goes from one device to the next:
//
//     version | type | hops left | flags | time in ms | sender | [recipient] | length | payload | signature
//        1        1        1         1         8           8          8           2                    64
//
// The signature is the sender's, over everything but the hops left, which every device on the way counts down.

import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

package struct MeshPacket: Sendable {
    package enum Kind: UInt8, Sendable {
        /// Who is at the other end of a link; goes no further.
        case hello = 1
        /// Who is in the mesh.
        case announcement
        case publicMessage
        case privateMessage
        /// A private message has arrived.
        case acknowledgement
        /// Somebody leaves.
        case farewell
        /// What a neighbour has, in short; goes no further.
        case digest
        /// What a neighbour has, so that the other one can send what it lacks; goes no further.
        case inventory

        /// Whether it is for the device at the other end of the link alone.
        var staysOnLink: Bool { self == .hello || self == .digest || self == .inventory }
    }

    static let version: UInt8 = 1
    static let maximumHops: UInt8 = 7
    private static let signatureLength = 64
    private static let hasRecipient: UInt8 = 1

    package let kind: Kind
    package var hopsLeft: UInt8
    private let milliseconds: UInt64
    let sender: PeerID
    let recipient: PeerID?
    let payload: Data
    private(set) var signature = Data()
    /// The beginning of the hash of what is signed: the same on the whole way.
    private(set) var id = ""

    /// A packet of one's own.
    init(_ kind: Kind, to recipient: PeerID? = nil, payload: Data, identity: Identity) throws {
        guard payload.count <= UInt16.max else { throw MeshError.messageTooLong }
        self.kind = kind
        self.hopsLeft = kind.staysOnLink ? 1 : MeshPacket.maximumHops
        self.milliseconds = UInt64(max(0, (Date().timeIntervalSince1970 * 1000).rounded()))
        self.sender = identity.id
        self.recipient = recipient
        self.payload = payload
        let octets = signedOctets
        self.signature = try identity.sign(octets)
        self.id = MeshPacket.identifier(of: octets)
    }

    /// A packet that was received; `nil` for octets that are none.
    init?(_ data: Data) {
        var reader = Reader(data)
        guard
            reader.number(UInt8.self) == MeshPacket.version,
            let kind = reader.number(UInt8.self).flatMap(Kind.init(rawValue:)),
            let hopsLeft = reader.number(UInt8.self),
            let flags = reader.number(UInt8.self),
            let milliseconds = reader.number(UInt64.self),
            let sender = reader.octets(PeerID.length)
        else { return nil }
        var recipient: PeerID?
        if flags & MeshPacket.hasRecipient != 0 {
            guard let octets = reader.octets(PeerID.length) else { return nil }
            recipient = PeerID(octets: octets)
        }
        guard
            let length = reader.number(UInt16.self),
            let payload = reader.octets(Int(length)),
            let signature = reader.octets(MeshPacket.signatureLength),
            reader.isAtEnd
        else { return nil }
        self.kind = kind
        self.hopsLeft = min(hopsLeft, MeshPacket.maximumHops)
        self.milliseconds = milliseconds
        self.sender = PeerID(octets: sender)
        self.recipient = recipient
        self.payload = payload
        self.signature = signature
        self.id = MeshPacket.identifier(of: signedOctets)
    }

    /// When it was made, by its sender's clock.
    var timestamp: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// What goes over a link.
    var encoded: Data { encoded(hopsLeft: hopsLeft) + signature }

    var signedOctets: Data { encoded(hopsLeft: 0) }

    private func encoded(hopsLeft: UInt8) -> Data {
        var data = Data([MeshPacket.version, kind.rawValue, hopsLeft, recipient == nil ? 0 : MeshPacket.hasRecipient])
        data.append(number: milliseconds)
        data.append(sender.octets)
        if let recipient = recipient { data.append(recipient.octets) }
        data.append(number: UInt16(payload.count))
        data.append(payload)
        return data
    }

    private static func identifier(of octets: Data) -> String {
        Data(SHA256.hash(data: octets).prefix(8)).hexEncodedString
    }
}

extension Data {
    mutating func append<Number: FixedWidthInteger>(number: Number) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}

/// Takes octets of a packet one part after the other.
struct Reader {
    private var rest: Data

    init(_ data: Data) { rest = data }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func octets(_ count: Int) -> Data? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Data(rest.prefix(count))
    }

    mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
        octets(Number.bitWidth / 8).map { $0.reduce(0) { $0 << 8 | Number($1) } }
    }

    mutating func remainder() -> Data {
        defer { rest = Data() }
        return Data(rest)
    }
}
