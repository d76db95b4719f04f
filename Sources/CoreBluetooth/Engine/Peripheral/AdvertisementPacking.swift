// How a name and services are laid into an advertising packet and its scan response, each of 31 octets.
//
// The packet has the flags (3 octets) and 28 octets for services and name, the two octets in front of each field
// included. Services come first, 16-bit ones before 32-bit and 128-bit ones. A name that no longer fits goes into the
// scan response, cut to 10 octets. Services that do not fit go into the overflow area, which takes 21 octets of the
// scan response and leaves 8 for the name.

import BluetoothTypes
import NIOCore

/// What an app advertises.
struct AdvertisedContent: Hashable, Sendable {
    var localName: String?
    var services: [BluetoothUUID] = []
    /// Services for the overflow area alone.
    var overflowServices: [BluetoothUUID] = []
}

extension AdvertisedContent {
    /// The advertising data and the scan response data.
    func packed() -> (data: ByteBuffer, scanResponse: ByteBuffer) {
        var data = AdvertisingData()
        var scanResponse = AdvertisingData()
        data.appendFlags([.generalDiscoverable, .bredrNotSupported])
        var capacity = 28

        var seen: Set<BluetoothUUID> = []
        let services = self.services.map(\.attForm).filter { seen.insert($0).inserted }
        var fitting: [BluetoothUUID] = []
        var overflow = OverflowArea()
        var hasOverflow = false
        for size in [2, 4, 16] {
            var needsHeader = true
            for service in services where service.octetCount == size {
                let cost = size + (needsHeader ? 2 : 0)
                if cost <= capacity {
                    capacity -= cost
                    needsHeader = false
                    fitting.append(service)
                } else {
                    overflow.insert(service)
                    hasOverflow = true
                }
            }
        }
        for service in self.overflowServices {
            overflow.insert(service)
            hasOverflow = true
        }
        data.appendServiceUUIDs(fitting, isComplete: !hasOverflow)

        if hasOverflow {
            // Where there is nothing else to advertise, no scan request is needed for it.
            if self.services.isEmpty, self.localName == nil {
                data.append(.manufacturerSpecificData, overflow.manufacturerData)
            } else {
                scanResponse.append(.manufacturerSpecificData, overflow.manufacturerData)
            }
        }
        if let name = self.localName, !name.isEmpty {
            if name.utf8.count + 2 <= capacity {
                data.appendLocalName(name)
            } else {
                let limit = hasOverflow ? AdvertisedName.limitBesideOverflowArea : AdvertisedName.limit
                scanResponse.appendLocalName(name, limit: limit)
            }
        }
        return (data.bytes, scanResponse.bytes)
    }
}
