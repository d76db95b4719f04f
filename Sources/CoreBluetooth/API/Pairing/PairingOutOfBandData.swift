// Out-of-band data that two devices exchange before they pair: by a code to scan, a cable, a tag. If one of them has
// such data of the other, they pair by it, protected against a man in the middle, without asking a user (Vol 3, Part H,
// 2.3.5.4 and 2.3.5.6.4). Its form is that of advertising data, as on tags.

package import BluetoothHost
import BluetoothTypes
public import Foundation
import NIOCore

/// One device's out-of-band data for another one, so that the two can pair.
///
/// Data for LE Secure Connections is not secret, but must come from the right device: an attacker who can replace it
/// can pair instead. Data for legacy pairing is a key, and must also be secret.
public struct PairingOutOfBandData: Hashable, Sendable {
    /// For LE Secure Connections.
    let secureConnections: SecureConnectionsOutOfBandData?
    /// For legacy pairing.
    let temporaryKey: Octets16?
    /// The address of the device, if given.
    var address: DeviceAddress?

    init(secureConnections: SecureConnectionsOutOfBandData?, temporaryKey: Octets16?) {
        self.secureConnections = secureConnections
        self.temporaryKey = temporaryKey
    }

    /// Parses received data.
    ///
    /// - Parameter advertisingData: Elements of advertising data (Core Specification Supplement, Part A): LE Secure
    ///   Connections Confirmation Value (0x22) and Random Value (0x23), or Security Manager TK Value (0x10), of 16
    ///   octets each, optionally with LE Bluetooth Device Address (0x1B). Others are ignored.
    /// - Returns: `nil` if there is neither a pair of values nor a key.
    public init?(advertisingData: Data) {
        var values: [AdvertisingDataType: Octets16] = [:]
        var address: DeviceAddress?
        for element in AdvertisingData(parsing: ByteBuffer(bytes: advertisingData)).elements {
            var octets = element.value
            if let value = Octets16(mostSignificantFirst: octets.readableBytesView.reversed()) {
                values[element.type] = value
            }
            if element.type == .deviceAddress, octets.readableBytes == 7, let last = octets.readableBytesView.last {
                address = try? DeviceAddress(parsing: &octets, kind: last & 1 == 0 ? .public : .random)
            }
        }
        var data: SecureConnectionsOutOfBandData?
        if let confirm = values[.secureConnectionsConfirmationValue],
            let random = values[.secureConnectionsRandomValue]
        {
            data = SecureConnectionsOutOfBandData(confirm: confirm, random: random)
        }
        guard data != nil || values[.securityManagerTKValue] != nil else { return nil }
        self.init(secureConnections: data, temporaryKey: values[.securityManagerTKValue])
        self.address = address
    }

    /// The data as elements of advertising data, for a code to scan or a tag.
    public var advertisingData: Data {
        var data = AdvertisingData()
        if let address {
            var octets = ByteBuffer()
            address.encode(into: &octets)
            octets.writeInteger(UInt8(address.isRandom ? 1 : 0))
            data.append(.deviceAddress, octets)
        }
        func append(_ type: AdvertisingDataType, _ value: Octets16?) {
            if let value { data.append(type, ByteBuffer(bytes: value.mostSignificantFirst.reversed())) }
        }
        append(.securityManagerTKValue, self.temporaryKey)
        append(.secureConnectionsConfirmationValue, self.secureConnections?.confirm)
        append(.secureConnectionsRandomValue, self.secureConnections?.random)
        return Data(data.bytes.readableBytesView)
    }

    /// Whether this may be a device's data: not if it names another public or static address.
    func fits(_ peer: DeviceAddress) -> Bool {
        guard let address, address.isWorthKeeping, peer.withoutIdentity.isWorthKeeping else { return true }
        return address == peer.withoutIdentity
    }
}

/// This device's out-of-band data for another one, with the private part that stays here.
///
/// It is for one pairing: create new data after a failure.
public struct LocalPairingOutOfBandData: Sendable {
    /// The kind of pairing.
    public enum Kind: Hashable, Sendable {
        /// LE Secure Connections.
        case secureConnections
        /// Legacy pairing, for peers without LE Secure Connections. One of the two devices makes the key.
        case legacy
    }

    let secureConnections: LocalOutOfBandData?
    let temporaryKey: Octets16?

    /// New data, with keys from the system's generator.
    public init(_ kind: Kind = .secureConnections) {
        var generator = SystemRandomNumberGenerator()
        switch kind {
        case .secureConnections:
            self.secureConnections = LocalOutOfBandData(using: &generator)
            self.temporaryKey = nil
        case .legacy:
            self.secureConnections = nil
            self.temporaryKey = Octets16(high: generator.next(), low: generator.next())
        }
    }

    /// The data for the other device, without an address.
    public var sharedData: PairingOutOfBandData {
        PairingOutOfBandData(secureConnections: self.secureConnections?.shared, temporaryKey: self.temporaryKey)
    }
}

/// The out-of-band data that two devices have exchanged.
public struct PairingOutOfBandExchange: Sendable {
    /// The data for the peer; `nil` for none.
    public var local: LocalPairingOutOfBandData?
    /// The data from the peer; `nil` for none.
    public var peer: PairingOutOfBandData?

    /// Creates an exchange.
    public init(local: LocalPairingOutOfBandData? = nil, peer: PairingOutOfBandData? = nil) {
        self.local = local
        self.peer = peer
    }

    /// The data for a pairing. If both devices have made a key for legacy pairing, the central's is used.
    package func data(asCentral isCentral: Bool) -> OutOfBandData {
        let (own, other) = (self.local?.temporaryKey, self.peer?.temporaryKey)
        return OutOfBandData(
            temporaryKey: isCentral ? own ?? other : other ?? own,
            peer: self.peer?.secureConnections,
            local: self.local?.secureConnections
        )
    }
}

extension PairingAgent {
    /// The out-of-band data for a pairing on a link, without data of another device.
    package func outOfBandData(for peer: PairingPeer, on link: LinkInformation) -> OutOfBandData {
        guard self.usesOutOfBandData else { return OutOfBandData() }
        var exchange = self.outOfBandData(for: peer)
        if let data = exchange.peer, !data.fits(link.peer) { exchange.peer = nil }
        return exchange.data(asCentral: link.isCentral)
    }

    /// Whether a pairing can protect against a man in the middle.
    package var canAuthenticate: Bool { self.capabilities != .none || self.usesOutOfBandData }
}

extension BluetoothAdapter {
    /// Reports the out-of-band data for another device: the data with this device's address, by which the other one can
    /// tell to which device it belongs.
    ///
    /// A device with privacy (``Configuration/privacy-swift.property``), or one that is not switched on yet, adds no
    /// address.
    ///
    /// - Parameters:
    ///   - data: The data that was created for the pairing.
    ///   - report: Called on the adapter's event loop.
    public func share(
        _ data: LocalPairingOutOfBandData,
        _ report: @escaping @Sendable (PairingOutOfBandData) -> Void
    ) {
        self.withHostAddress { address in
            var shared = data.sharedData
            shared.address = address
            report(shared)
        }
    }
}
