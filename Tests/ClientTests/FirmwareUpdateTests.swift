// The firmware uploader: 200 KB and more in writes without response, under flow control, with the receiver's checksum.

import ClientSamples
import CoreBluetooth
import CoreBluetoothTesting
import Testing

@Suite("Sample client: firmware uploader")
struct FirmwareUpdateTests {
    private static func image(_ count: Int) -> Data {
        // Every octet depends on its place and on the block it is in.
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8 &* 7 ^ $0 >> 16) })
    }

    @Test("computes the checksum of Ethernet")
    func checksum() throws {
        #expect(Checksum.of(Data("123456789".utf8)) == 0xCBF4_3926)
    }

    @Test("uploads a whole image as fast as the system takes it", arguments: [23, 185, 517])
    func upload(mtu: Int) throws {
        let world = World(settings: .instant)
        let image = Self.image(mtu * 400)
        let device = world.addDevice("device", mtu: mtu).run { FirmwareDevice() }
        let uploader = world.addDevice("phone").run { FirmwareUploader(image: image) }
        try world.run(until: uploader.result != nil)
        #expect(throws: Never.self) { try uploader.result?.get() }
        #expect(uploader.packetLength == min(mtu - 3, 512))
        #expect(device.received == image)
        #expect(uploader.acknowledged > 0)
        // Far more packets than the transmit queue takes: each stall ended with a call of peripheralIsReady. Other
        // calls come each time that all packets have left.
        #expect(uploader.stalls > 2)
        #expect(uploader.wakeups >= uploader.stalls)
    }

    @Test("uploads a whole image through an air that loses a tenth of all packets")
    func loss() throws {
        let world = World(seed: 7, settings: AirSettings(hasAirTime: true, loss: 0.1))
        let image = Self.image(60_000)
        let device = world.addDevice("device").run { FirmwareDevice() }
        let uploader = world.addDevice("phone").run { FirmwareUploader(image: image) }
        try world.run(until: uploader.result != nil, within: .seconds(120))
        #expect(throws: Never.self) { try uploader.result?.get() }
        #expect(device.received == image)
    }

    @Test("ends an upload with an error when the device goes")
    func interrupted() throws {
        let world = World(settings: .realistic)
        let box = world.addDevice("device")
        let device = box.run { FirmwareDevice() }
        let uploader = world.addDevice("phone").run { FirmwareUploader(image: Self.image(400_000)) }
        try world.run(until: uploader.acknowledged > 10_000)
        box.isPowered = false
        try world.run(until: uploader.result != nil)
        #expect {
            try uploader.result?.get()
        } throws: {
            // Both are right: the link may be ended in form or be lost.
            [.peripheralDisconnected, .connectionTimeout].contains(($0 as? CBError)?.code)
        }
        withExtendedLifetime(device) {}
    }
}
