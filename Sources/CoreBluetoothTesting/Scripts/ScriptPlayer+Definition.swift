// A script as definitions of the GATT server, and its advertisement as octets.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import NIOCore

extension ScriptPlayer {
    func updateAdvertising() {
        guard case .ready = self.host.state else { return }
        guard self.device.isAdvertising else { return self.host.stopAdvertising() }
        let advertisement = self.device.script.advertisement
        let (data, scanResponse) = self.advertisedOctets
        self.host.startAdvertising(
            AdvertisingParameters(
                data: data,
                scanResponse: scanResponse,
                isConnectable: advertisement.isConnectable,
                interval: TimeAmount(advertisement.interval),
                pdus: advertisement.pdus.advertised
            )
        ) { _ in }
    }

    /// Advertising data and scan response. Fields that do not fit are left out and reported as a mistake in the script.
    var advertisedOctets: (data: ByteBuffer, scanResponse: ByteBuffer) {
        if let recorded = self.device.script.recordedAdvertisement {
            return (ByteBuffer(bytes: recorded.data), ByteBuffer(bytes: recorded.scanResponse))
        }
        let advertisement = self.device.script.advertisement
        var data = AdvertisingData()
        var scanResponse = AdvertisingData()
        var isComplete = true
        data.appendFlags([.generalDiscoverable, .bredrNotSupported])
        let services = advertisement.services ?? self.services.filter(\.isPrimary).map(\.uuid)
        func place(_ append: (inout AdvertisingData) -> Void) {
            var longer = data
            append(&longer)
            if longer.octetCount <= advertisement.pdus.limit { return data = longer }
            longer = scanResponse
            append(&longer)
            if longer.octetCount <= advertisement.pdus.responseLimit {
                scanResponse = longer
            } else {
                isComplete = false
            }
        }
        if !services.isEmpty { place { $0.appendServiceUUIDs(services.map(BluetoothUUID.init)) } }
        if !advertisement.solicitedServices.isEmpty {
            place { $0.appendSolicitedServiceUUIDs(advertisement.solicitedServices.map(BluetoothUUID.init)) }
        }
        if let power = advertisement.txPower { place { $0.appendTxPowerLevel(TransmitPower(rawValue: power)) } }
        if let manufacturer = advertisement.manufacturerData {
            place { $0.append(.manufacturerSpecificData, ByteBuffer(bytes: manufacturer)) }
        }
        for (service, octets) in advertisement.serviceData {
            place {
                $0.appendServiceData(
                    AdvertisedServiceData(uuid: BluetoothUUID(service), data: ByteBuffer(bytes: octets))
                )
            }
        }
        if let name = self.device.script.name { place { $0.appendLocalName(name, limit: 29) } }
        if !isComplete {
            let (limit, response) = (advertisement.pdus.limit, advertisement.pdus.responseLimit)
            self.device.reportMistake(
                "it advertises more than \(limit) octets and \(response) of scan response can hold"
            )
        }
        return (data.bytes, scanResponse.bytes)
    }
}

extension ScriptedPeripheral.Advertisement.PDUs {
    fileprivate var advertised: AdvertisingParameters.PDUs {
        switch self {
        case .legacy: .legacy
        case .extended: .extended(primary: .le1M, secondary: .le2M)
        case .coded: .extended(primary: .leCoded, secondary: .leCoded)
        }
    }

    /// The maximum octets of advertising data.
    var limit: Int { self == .legacy ? AdvertisingDataLimits.legacy : AdvertisingDataLimits.connectable }
    /// The maximum octets of scan response data.
    fileprivate var responseLimit: Int { self == .legacy ? AdvertisingDataLimits.legacy : 0 }
}

extension ScriptedPeripheral.Service {
    /// The definition for the GATT server; `handles` are those of published services.
    func definition(including handles: [CBUUID: AttributeHandle]) -> GATTServiceDefinition {
        GATTServiceDefinition(
            uuid: BluetoothUUID(self.uuid).attForm,
            isPrimary: self.isPrimary,
            handle: self.handle,
            includedServices: self.includes.compactMap { handles[$0] },
            characteristics: self.characteristics.map(\.gattDefinition)
        )
    }
}

extension ScriptedPeripheral.Characteristic {
    /// Whether it also sends to centrals that have not subscribed.
    var needsNoSubscription: Bool {
        self.sendsToAll || !self.hasClientConfiguration && !self.properties.isDisjoint(with: [.notify, .indicate])
    }

    fileprivate var gattDefinition: GATTCharacteristicDefinition {
        func requirement(_ security: ScriptedPeripheral.Security?) -> SecurityRequirement {
            SecurityRequirement(level: (security ?? self.security).level)
        }
        var permissions: AttributePermissions = []
        if self.properties.contains(.read) { permissions.read = requirement(self.readSecurity) }
        if !self.properties.isDisjoint(with: [.write, .writeWithoutResponse]) {
            permissions.write = requirement(self.writeSecurity)
        }
        let description = self.userDescription.map {
            [
                GATTDescriptorDefinition(
                    uuid: BluetoothUUID(GATTAttributeType.userDescription),
                    value: ByteBuffer(string: $0)
                )
            ]
        }
        var definition = GATTCharacteristicDefinition(
            uuid: BluetoothUUID(self.uuid).attForm,
            properties: CharacteristicProperties(rawValue: UInt8(truncatingIfNeeded: self.properties.rawValue & 0xFF)),
            permissions: permissions,
            subscriptionSecurity: requirement(self.subscriptionSecurity),
            hasClientConfiguration: self.hasClientConfiguration,
            descriptors: (description ?? []) + self.descriptors.map(\.gattDefinition)
        )
        definition.asksBeforeSubscription = self.onSubscriptionRequest != nil
        return definition
    }
}

extension ScriptedPeripheral.Descriptor {
    fileprivate var gattDefinition: GATTDescriptorDefinition {
        let requirement = SecurityRequirement(level: self.security.level)
        let isWritable = self.isWritable || self.onWrite != nil
        return GATTDescriptorDefinition(
            uuid: BluetoothUUID(self.uuid).attForm,
            value: ByteBuffer(bytes: self.value),
            permissions: AttributePermissions(read: requirement, write: isWritable ? requirement : nil),
            isDynamic: true
        )
    }
}

extension ScriptedPeripheral.GenericAttribute {
    /// The corresponding value of the host.
    var content: GenericAttributeService {
        switch self {
        case .absent: .absent
        case .empty: .empty
        case .serviceChanged: .serviceChanged
        case .databaseHash: .full
        }
    }

    init(_ content: GenericAttributeService) {
        self =
            switch content {
            case .absent: .absent
            case .empty: .empty
            case .serviceChanged: .serviceChanged
            case .full: .databaseHash
            }
    }
}

extension BluetoothUUID {
    /// Creates the value of a `CBUUID`.
    init(_ uuid: CBUUID) {
        guard let value = BluetoothUUID(uuid.uuidString) else { preconditionFailure("\(uuid) is no UUID") }
        self = value
    }
}
