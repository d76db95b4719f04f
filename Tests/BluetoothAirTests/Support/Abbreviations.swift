// Numbers for times and handles, and commands with the usual intervals.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BluetoothAir
import BluetoothHCI
public import BluetoothTypes

extension ExpressibleByIntegerLiteral where Self: BluetoothTime, IntegerLiteralType == RawValue {
    public init(integerLiteral value: RawValue) { self.init(rawValue: value) }
}

extension AdvertisingInterval: ExpressibleByIntegerLiteral { public typealias IntegerLiteralType = UInt16 }
extension ExtendedAdvertisingInterval: ExpressibleByIntegerLiteral { public typealias IntegerLiteralType = UInt32 }
extension AdvertisingDuration: ExpressibleByIntegerLiteral { public typealias IntegerLiteralType = UInt16 }
extension ScanInterval: ExpressibleByIntegerLiteral { public typealias IntegerLiteralType = UInt16 }
extension ExtendedScanInterval: ExpressibleByIntegerLiteral { public typealias IntegerLiteralType = UInt16 }
extension ScanPeriod: ExpressibleByIntegerLiteral { public typealias IntegerLiteralType = UInt16 }
extension ConnectionInterval: ExpressibleByIntegerLiteral { public typealias IntegerLiteralType = UInt16 }
extension SupervisionTimeout: ExpressibleByIntegerLiteral { public typealias IntegerLiteralType = UInt16 }
extension AuthenticatedPayloadTimeout: ExpressibleByIntegerLiteral { public typealias IntegerLiteralType = UInt16 }
extension ResolvablePrivateAddressTimeout: ExpressibleByIntegerLiteral { public typealias IntegerLiteralType = UInt16 }

extension AdvertisingHandle: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: UInt8) { self.init(rawValue: value) }
}

extension ChannelMap: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: UInt64) { self.init(rawValue: value) }
}

extension ConnectionParameters {
    init(interval: UInt16, latency: UInt16 = 0, supervisionTimeout: UInt16 = 72) {
        self.init(
            minimumInterval: ConnectionInterval(rawValue: interval),
            maximumInterval: ConnectionInterval(rawValue: interval),
            latency: latency,
            supervisionTimeout: SupervisionTimeout(rawValue: supervisionTimeout)
        )
    }
}

extension LESetPHY {
    init(_ handle: ConnectionHandle, _ transmitter: PHYSet?, _ receiver: PHYSet?) {
        self.init(handle: handle, preference: PHYPreference(transmitter: transmitter, receiver: receiver))
    }
}

extension LESetExtendedAdvertisingEnable {
    init(_ handles: AdvertisingHandle..., duration: UInt16 = 0, events: UInt8 = 0, isEnabled: Bool = true) {
        let duration = AdvertisingDuration(rawValue: duration)
        self.init(
            isEnabled: isEnabled,
            sets: handles.map { .init(handle: $0, duration: duration, maximumEvents: events) }
        )
    }
}

extension LEEventMask {
    static var all: LEEventMask { LEEventMask(rawValue: .max) }
}

extension LESetAdvertisingParameters {
    init(
        interval: UInt16 = 0xA0,
        type: AdvertisingType = .connectableUndirected,
        ownAddressType: OwnAddressType = .public,
        peer: DeviceAddress = .none,
        filterPolicy: AdvertisingFilterPolicy = .all
    ) {
        self.init(
            minimumInterval: AdvertisingInterval(rawValue: interval),
            maximumInterval: AdvertisingInterval(rawValue: interval),
            type: type,
            ownAddressType: ownAddressType,
            peer: peer,
            filterPolicy: filterPolicy
        )
    }
}

extension LESetExtendedAdvertisingParameters {
    init(
        advertisingHandle: AdvertisingHandle,
        properties: AdvertisingEventProperties,
        interval: ExtendedAdvertisingInterval = 0xA0,
        ownAddressType: OwnAddressType = .public,
        peer: DeviceAddress = .none,
        txPower: TransmitPower? = nil,
        primaryPHY: PHY = .le1M,
        secondaryPHY: PHY = .le1M,
        setIdentifier: UInt8 = 0,
        notifiesScanRequests: Bool = false
    ) {
        self.init(
            advertisingHandle: advertisingHandle,
            properties: properties,
            minimumInterval: interval,
            maximumInterval: interval,
            ownAddressType: ownAddressType,
            peer: peer,
            txPower: txPower,
            primaryPHY: primaryPHY,
            secondaryPHY: secondaryPHY,
            setIdentifier: setIdentifier,
            notifiesScanRequests: notifiesScanRequests
        )
    }
}

extension LESetScanParameters {
    init(type: ScanType, ownAddressType: OwnAddressType = .public, filterPolicy: ScanFilterPolicy = .all) {
        self.init(
            type: type,
            interval: 0x10,
            window: 0x10,
            ownAddressType: ownAddressType,
            filterPolicy: filterPolicy
        )
    }
}

extension LESetExtendedScanParameters.PHYParameters {
    init(type: ScanType) { self.init(type: type, interval: 0x10, window: 0x10) }
}

extension LEExtendedCreateConnection.PHYParameters {
    init(parameters: ConnectionParameters) { self.init(scanInterval: 0x10, scanWindow: 0x10, parameters: parameters) }
}

extension LECreateConnection {
    init(
        filterPolicy: InitiatorFilterPolicy = .peer,
        peer: DeviceAddress,
        ownAddressType: OwnAddressType = .public,
        interval: UInt16 = 0x10,
        window: UInt16 = 0x10,
        parameters: ConnectionParameters
    ) {
        self.init(
            scanInterval: ScanInterval(rawValue: interval),
            scanWindow: ScanInterval(rawValue: window),
            filterPolicy: filterPolicy,
            peer: peer,
            ownAddressType: ownAddressType,
            parameters: parameters
        )
    }
}

extension VirtualController.Configuration {
    /// A controller whose every resource is scarce.
    static var small: VirtualController.Configuration {
        var configuration = VirtualController.Configuration()
        configuration.model.aclDataPacketLength = 27
        configuration.model.aclDataPacketCount = 3
        configuration.model.maximumLinkCount = 2
        configuration.model.commandCredits = 1
        configuration.model.filterAcceptListSize = 2
        configuration.model.resolvingListSize = 2
        configuration.model.advertisingSetCount = 2
        return configuration
    }
}
