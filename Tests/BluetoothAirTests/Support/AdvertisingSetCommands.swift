// Commands of extended advertising for test suites, by default for the first of two sets.

import BluetoothHCI
import BluetoothTypes
import NIOCore

protocol AdvertisingSetCommands {}

extension AdvertisingSetCommands {
    var first: AdvertisingHandle { 1 }
    var second: AdvertisingHandle { 2 }

    func parameters(
        _ properties: AdvertisingEventProperties,
        handle: AdvertisingHandle? = nil,
        ownAddressType: OwnAddressType = .public
    ) -> LESetExtendedAdvertisingParameters {
        LESetExtendedAdvertisingParameters(
            advertisingHandle: handle ?? self.first,
            properties: properties,
            ownAddressType: ownAddressType,
            peer: DeviceAddress(0x0102_0304_0506, kind: .public),
            setIdentifier: (handle ?? self.first).rawValue
        )
    }

    func data(
        _ octets: [UInt8],
        _ operation: AdvertisingDataOperation = .complete
    ) -> LESetExtendedAdvertisingData {
        LESetExtendedAdvertisingData(
            advertisingHandle: self.first,
            operation: operation,
            data: ByteBuffer(bytes: octets)
        )
    }

    func response(
        _ octets: [UInt8],
        _ operation: AdvertisingDataOperation = .complete
    ) -> LESetExtendedScanResponseData {
        LESetExtendedScanResponseData(
            advertisingHandle: self.first,
            operation: operation,
            data: ByteBuffer(bytes: octets)
        )
    }
}
