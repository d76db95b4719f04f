// What two devices let each other know before they pair, by another way than Bluetooth: a code to scan, a cable, a tag. Where
// one of them has such data of the other, they pair by it, protected against a man in the middle, and no user is asked (Vol
// 3, Part H, 2.3.5.4 and 2.3.5.6.4). The form is that of advertising data, as tags and codes have it.

package import BluetoothHost
import BluetoothTypes
public import Foundation
import NIOCore

/// What one device gives another one by another way than Bluetooth, so that the two can pair.
///
/// Data for LE Secure Connections is not secret, but must come from the right device: who can put another one in its place
/// can pair instead. Data for legacy pairing is a key, and must be secret, too.
public struct PairingOutOfBandData: Hashable, Sendable {
    /// For LE Secure Connections.
    let secureConnections: SecureConnectionsOutOfBandData?
    /// For legacy pairing.
    let temporaryKey: Octets16?
    /// The address of the device, where it is given.
    var address: DeviceAddress?

    init(secureConnections: SecureConnectionsOutOfBandData?, temporaryKey: Octets16?) {
        self.secureConnections = secureConnections
        self.temporaryKey = temporaryKey
    }

    /// Data as it came.
    ///
    /// - Parameter advertisingData: Elements of advertising data (Core Specification Supplement, Part A): LE Secure
    ///   Connections Confirmation Value (0x22) and Random Value (0x23), or Security Manager TK Value (0x10), of 16 octets
    ///   each, with LE Bluetooth Device Address (0x1B) where wanted. Others are ignored.
    /// - Returns: `nil` where there is neither a pair of values nor a key.
    public init?(advertisingData: Data) {
        var values: [AdvertisingDataType: Octets16] = [:]
        var address: DeviceAddress?
        for element in AdvertisingData(parsing: ByteBuffer(bytes: advertisingData)).elements {
            let octets = Array(element.value.readableBytesView)
            if let value = Octets16(mostSignificantFirst: octets.reversed()) { values[element.type] = value }
            if element.type == .deviceAddress, octets.count == 7 {
                let value = octets.prefix(6).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                address = DeviceAddress(value, kind: octets[6] & 1 == 0 ? .public : .random)
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
            for shift in stride(from: 0, to: 48, by: 8) {
                octets.writeInteger(UInt8(truncatingIfNeeded: address.value >> UInt64(shift)))
            }
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

    /// Whether this may be data of a device: not where it names another address that does not change either.
    func fits(_ peer: DeviceAddress) -> Bool {
        guard let address, address.isWorthKeeping, peer.withoutIdentity.isWorthKeeping else { return true }
        return address == peer.withoutIdentity
    }
}

/// What this device has made to give it to another one by another way than Bluetooth, with what belongs to it and stays here.
///
/// It is for one pairing: make new data after one that has failed.
public struct LocalPairingOutOfBandData: Sendable {
    /// The kind of pairing that the data is for.
    public enum Kind: Hashable, Sendable {
        /// LE Secure Connections.
        case secureConnections
        /// Legacy pairing, which peers without LE Secure Connections need. One of the two devices makes the key.
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

    /// What the other device is to get, without an address.
    public var sharedData: PairingOutOfBandData {
        PairingOutOfBandData(secureConnections: self.secureConnections?.shared, temporaryKey: self.temporaryKey)
    }
}

/// What two devices have given each other by another way than Bluetooth.
public struct PairingOutOfBandExchange: Sendable {
    /// What was given to the peer; `nil` for nothing.
    public var local: LocalPairingOutOfBandData?
    /// What came from the peer; `nil` for nothing.
    public var peer: PairingOutOfBandData?

    /// What two devices have given each other.
    public init(local: LocalPairingOutOfBandData? = nil, peer: PairingOutOfBandData? = nil) {
        self.local = local
        self.peer = peer
    }

    /// What a pairing gets of it. Where both devices have made a key for legacy pairing, that of the central counts.
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
    /// What a pairing on a link gets of what came another way; data of another device is none.
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
    /// Reports what another device is to get by another way than Bluetooth: the data with this device's address, by which
    /// the other one can tell to which device it belongs.
    ///
    /// A device that hides itself (``Configuration/privacy-swift.property``), and one that is not switched on yet, gives no
    /// address.
    ///
    /// - Parameters:
    ///   - data: What was made for the pairing.
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
