// A device on the private air before it is connected: a virtual controller that advertises once for each report of
// BlueZ. It admits no connection; the mirror does, when BlueZ is connected to the device.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import NIOCore

/// Advertises for a device.
final class Beacon: HCIChannelReceiver {
    private let controller: VirtualController
    private let listener: VirtualController
    let address: DeviceAddress
    private var advertised: MirroredAdvertisement?
    /// The strength of the last advertisement; BlueZ forgets it when discovery stops.
    private(set) var rssi: RSSI?

    /// - Parameter listener: The controller of our host.
    init(_ address: DeviceAddress, on air: Air, to listener: VirtualController) {
        self.controller = air.makeController(configuration: .mirror(of: address))
        self.listener = listener
        self.address = address
        self.controller.distance = .mirrors
        self.controller.start(receiver: self)
    }

    deinit { self.controller.close() }

    /// Sends one advertisement.
    func advertise(_ advertisement: MirroredAdvertisement, rssi: RSSI) {
        self.rssi = rssi
        self.controller.setAttenuation(.strength(rssi), to: self.listener)
        // An event that has not been sent yet is replaced.
        self.send(LESetExtendedAdvertisingEnable(isEnabled: false, sets: []))
        if advertisement != self.advertised {
            self.configure(advertisement)
            self.advertised = advertisement
        }
        let set = LESetExtendedAdvertisingEnable.AdvertisingSet(handle: Self.handle, maximumEvents: 1)
        self.send(LESetExtendedAdvertisingEnable(isEnabled: true, sets: [set]))
    }

    private static let handle = AdvertisingHandle(rawValue: 0)

    private func configure(_ advertisement: MirroredAdvertisement) {
        let isLegacy = if case .legacy = advertisement { true } else { false }
        let interval = ExtendedAdvertisingInterval(.milliseconds(100))
        self.send(LERemoveAdvertisingSet(advertisingHandle: Self.handle))
        self.send(
            LESetExtendedAdvertisingParameters(
                advertisingHandle: Self.handle,
                properties: isLegacy ? [.legacy, .connectable, .scannable] : .connectable,
                minimumInterval: interval,
                maximumInterval: interval,
                ownAddressType: self.address.isRandom ? .random : .public,
                // The accept list is empty.
                filterPolicy: .connectFromAcceptList
            )
        )
        if self.address.isRandom {
            self.send(LESetAdvertisingSetRandomAddress(advertisingHandle: Self.handle, address: self.address))
        }
        switch advertisement {
        case .legacy(let data, let response):
            self.send(LESetExtendedAdvertisingData(advertisingHandle: Self.handle, data: data))
            self.send(LESetExtendedScanResponseData(advertisingHandle: Self.handle, data: response))
        case .extended(let data):
            self.send(LESetExtendedAdvertisingData(advertisingHandle: Self.handle, data: data))
        }
    }

    private func send(_ command: some HCICommand) { self.controller.send(command.packet()) }

    // Answers do not matter: a command that fails leaves the beacon silent.
    func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {}
    func channelDidFinishBatch(_ channel: any HCIChannel) {}
    func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {}
}

extension VirtualController.Configuration {
    /// A controller with the address of a real device.
    static func mirror(of address: DeviceAddress) -> Self {
        var model = ControllerModel()
        model.name = "mirror"
        if !address.isRandom { model.address = address }
        return Self(model: model)
    }
}

extension Distance {
    /// Where mirrors and our host stand, so close that every strength can be had by attenuation.
    static let mirrors = Distance.metres(0.1)
}

extension Attenuation {
    /// The attenuation that gives a signal between mirrors a strength; the air supports -95 to -25 dBm.
    static func strength(_ rssi: RSSI) -> Attenuation {
        .decibels(PathLoss.power(at: .mirrors) - Double(max(rssi.dBm, -95)))
    }
}
