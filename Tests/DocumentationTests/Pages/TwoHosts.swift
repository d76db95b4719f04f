// The program of the page "Two hosts of your own on an air", which is BluetoothAir.docc/TwoHosts.md.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import NIOCore
import NIOEmbedded

/// A host of your own: it sends commands, and keeps the advertising reports that come back.
final class SmallHost: HCIChannelReceiver {
    let controller: VirtualController
    private(set) var reports: [LEAdvertisingReport] = []

    init(on air: Air) {
        self.controller = air.makeController()
        self.controller.start(receiver: self)
        self.send(Reset())
        // After a reset, a controller reports no LE events.
        self.send(SetEventMask(mask: EventMask(rawValue: .max)))
    }

    func send(_ command: some HCICommand) { self.controller.send(command.packet()) }

    func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
        guard case .leAdvertisingReports(let event)? = try? HCIEvent(packet) else { return }
        self.reports += event
    }

    func channelDidFinishBatch(_ channel: any HCIChannel) {}

    func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {}
}

/// What a scanner reports in a second of virtual time, ten metres from an advertiser.
func reportsAcrossTenMetres() -> [LEAdvertisingReport] {
    let loop = EmbeddedEventLoop()
    let air = Air(eventLoop: loop, settings: .realistic, seed: 7)
    let (advertiser, scanner) = (SmallHost(on: air), SmallHost(on: air))
    advertiser.controller.distance = .metres(10)

    let interval = AdvertisingInterval(.milliseconds(100))
    advertiser.send(LESetAdvertisingParameters(minimumInterval: interval, maximumInterval: interval))
    advertiser.send(LESetAdvertisingData(data: ByteBuffer(bytes: [0x02, 0x01, 0x06])))
    advertiser.send(LESetAdvertisingEnable(isEnabled: true))
    scanner.send(LESetScanEnable(isEnabled: true))

    loop.advanceTime(by: .seconds(1))
    return scanner.reports
}
