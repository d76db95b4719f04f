// How a name and services are laid into an advertising packet and its scan response, each of 31 octets.
//
// The packet has the flags (3 octets) and 28 octets for manufacturer data, services and name, the two octets in front
// of each field included. Manufacturer data comes first, since scanners for beacons ask for no scan response; then what
// only tools advertise, and services, 16-bit ones before 32-bit and 128-bit ones. A name that no longer fits goes into
// the scan response, cut to the 10 octets that apps have, unless the configuration permits all of it. Services that do
// not fit go into the scan response beside the name, if it takes all of them. If it does not, they go into the overflow
// area, which takes 21 octets of the scan response and leaves 8 for the name.

import BluetoothTypes
import NIOCore

/// The content that an app advertises.
struct AdvertisedContent: Hashable, Sendable {
    var localName: String?
    var services: [BluetoothUUID] = []
    /// A company's identifier, little-endian, and what it says.
    var manufacturerData: [UInt8]?
    /// Services for the overflow area alone.
    var overflowServices: [BluetoothUUID] = []
    /// Whether the name may take all of the scan response that services leave.
    var permitsWholeName = false
    /// The options for tools, which apps do not have.
    var options = AdvertisingOptions()
}

extension AdvertisedContent {
    /// The octets in front of a field: its length and its type.
    private static let header = 2

    /// Whether it can be advertised: extended PDUs have no scan response for the rest.
    var isValid: Bool {
        let count = self.manufacturerData?.count
        guard count ?? 2 >= 2, (count.map { $0 + Self.header } ?? 0) + self.options.octetCount <= self.options.capacity
        else { return false }
        return self.options.phy == nil || self.packed().scanResponse.readableBytes == 0
    }

    /// The advertising data and the scan response data.
    func packed() -> (data: ByteBuffer, scanResponse: ByteBuffer) {
        var data = AdvertisingData()
        var scanResponse = AdvertisingData()
        data.appendFlags([.generalDiscoverable, .bredrNotSupported])
        var capacity = self.options.capacity - self.options.octetCount
        if let manufacturerData {
            data.append(.manufacturerSpecificData, ByteBuffer(bytes: manufacturerData))
            capacity -= Self.header + manufacturerData.count
        }
        data.elements += self.options.elements

        var seen: Set<BluetoothUUID> = []
        let services = self.services.map(\.attForm).filter { seen.insert($0).inserted }
        let packet = Self.fit(services, into: capacity)
        let name = self.localName.flatMap { $0.isEmpty ? nil : $0 }
        let isNameInPacket = name.map { $0.utf8.count + 2 <= packet.capacity } ?? true
        var nameLimit = AdvertisedName.limit
        if self.permitsWholeName, self.overflowServices.isEmpty, let name {
            let cost = Self.header + min(name.utf8.count, AdvertisedName.wholeLimit)
            if Self.fit(packet.others, into: 31 - cost).others.isEmpty { nameLimit = AdvertisedName.wholeLimit }
        }
        let nameCost = isNameInPacket ? 0 : Self.header + min(name?.utf8.count ?? 0, nameLimit)
        let response = Self.fit(packet.others, into: 31 - nameCost)
        let hasOverflow = !response.others.isEmpty || !self.overflowServices.isEmpty
        data.appendServiceUUIDs(packet.fitting, isComplete: packet.others.isEmpty && !hasOverflow)

        if hasOverflow {
            var overflow = OverflowArea()
            for service in packet.others + self.overflowServices { overflow.insert(service) }
            // If there is nothing else to advertise, no scan request is needed for it.
            if self.services.isEmpty, self.localName == nil, self.manufacturerData == nil {
                data.append(.manufacturerSpecificData, overflow.manufacturerData)
            } else {
                scanResponse.append(.manufacturerSpecificData, overflow.manufacturerData)
            }
        } else {
            scanResponse.appendServiceUUIDs(response.fitting, isComplete: false)
        }
        if let name {
            if isNameInPacket {
                data.appendLocalName(name)
            } else {
                scanResponse.appendLocalName(
                    name,
                    limit: hasOverflow ? AdvertisedName.limitBesideOverflowArea : nameLimit
                )
            }
        }
        return (data.bytes, scanResponse.bytes)
    }

    /// The services, in the forms of ATT, that fit into `octetCount` octets, short ones first, the others, and the
    /// octets that are left.
    private static func fit(
        _ services: [BluetoothUUID],
        into octetCount: Int
    ) -> (fitting: [BluetoothUUID], others: [BluetoothUUID], capacity: Int) {
        var (fitting, others, capacity) = ([BluetoothUUID](), [BluetoothUUID](), octetCount)
        for size in [2, 16] {
            var needsHeader = true
            for service in services where service.octetCount == size {
                let cost = size + (needsHeader ? 2 : 0)
                if cost <= capacity {
                    capacity -= cost
                    needsHeader = false
                    fitting.append(service)
                } else {
                    others.append(service)
                }
            }
        }
        return (fitting, others, capacity)
    }
}
