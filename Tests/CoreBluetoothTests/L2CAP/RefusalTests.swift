import BluetoothAir
import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("12.2 Refused channels")
struct RefusalTests {
    /// A host without the façade that answers with a given result.
    private final class RefusingPeripheral: LEHostDelegate {
        let host: LEHost
        var result = L2CAPConnectionResult.success
        var link: LinkID?
        var failures: [L2CAPChannelOpenError] = []
        var channels: [L2CAPChannelInformation] = []

        init(_ testbed: Testbed) {
            let address = DeviceAddress(0xC000_0000_0BAD, kind: .random)
            self.host = LEHost(eventLoop: testbed.loop, configuration: LEHostConfiguration(address: address))
            self.host.delegate = self
            self.host.attach(to: testbed.air.makeController())
        }

        func open(_ psm: SPSM) {
            guard let link = self.link else { return }
            self.host.openChannel(on: link, spsm: psm) { result in
                switch result {
                case .success(let channel): self.channels.append(channel)
                case .failure(let error): self.failures.append(error)
                }
            }
        }

        func host(_ host: LEHost, shouldAcceptChannel request: L2CAPChannelRequest) -> L2CAPConnectionResult {
            self.result
        }
        func host(_ host: LEHost, didConnect link: LinkInformation) { self.link = link.id }
        func host(_ host: LEHost, didDisconnect link: LinkInformation, reason: HCIErrorCode) { self.link = nil }
    }

    private struct Setup {
        let testbed = Testbed()
        let remote: RefusingPeripheral
        let central: CentralApp
        let peripheral: CBPeripheral

        init() throws {
            let remote = RefusingPeripheral(self.testbed)
            self.remote = remote
            self.central = self.testbed.central(on: self.testbed.adapter("Curious"))
            self.testbed.run { remote.host.state == .ready }
            _ = try remote.host.listenForChannels(spsm: 0x80)
            remote.host.startAdvertising(AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, 6]))) { _ in }
            self.peripheral = try self.central.connect(in: self.testbed, services: nil)
            try #require(self.testbed.run { remote.link != nil })
        }
    }

    @Test(
        "12.2 maps every refusing result to its error, and opens the next channel",
        arguments: [
            (0x0002, CBErrorDomain, 13), (0x0004, CBErrorDomain, 4), (0x0005, CBATTErrorDomain, 5),
            (0x0006, CBATTErrorDomain, 8), (0x0007, CBATTErrorDomain, 12), (0x0008, CBATTErrorDomain, 15),
            (0x0009, CBErrorDomain, 2), (0x000A, CBErrorDomain, 2), (0x000B, CBErrorDomain, 1),
            (0x0003, CBErrorDomain, 0), (0x7777, CBErrorDomain, 0),
        ] as [(UInt16, String, Int)]
    )
    func results(result: UInt16, domain: String, code: Int) throws {
        let setup = try Setup()
        setup.remote.result = L2CAPConnectionResult(rawValue: result)
        setup.peripheral.openL2CAPChannel(0x80)
        setup.testbed.run()
        #expect(setup.central.calls.last == "channel \(domain) \(code)")
        #expect(setup.central.channels.isEmpty)
        setup.remote.result = .success
        setup.peripheral.openL2CAPChannel(0x80)
        #expect(setup.testbed.run { setup.central.channels.count == 1 })
    }

    @Test("12.2 opens sixteen channels per link at most")
    func channelsPerLink() throws {
        let talk = try ChannelTalk()
        var channels = try (0..<16).map { _ in try talk.open() }
        talk.peripheral.openL2CAPChannel(talk.psm)
        talk.testbed.run()
        #expect(talk.talk.central.calls.last == "channel CBErrorDomain 4")
        talk.talk.central.channels.removeAll()
        talk.talk.ball.channels.removeAll()
        channels.removeFirst()
        talk.testbed.run()
        _ = try talk.open()
        #expect(channels.count == 15)
    }

    @Test("12.2 accepts any number of channels, one after the other, if the app looks at them")
    func manyInTurn() throws {
        let talk = Conversation()
        talk.ball.manager.publishL2CAPChannel(withEncryption: false)
        talk.testbed.run { !talk.ball.psms.isEmpty }
        let psm = try #require(talk.ball.psms.first)
        let remote = RefusingPeripheral(talk.testbed)
        talk.testbed.run { remote.host.state == .ready }
        remote.host.connect(to: BluetoothAdapter.Configuration(identity: "Crystal").addressOnAir)
        try #require(talk.testbed.run { remote.link != nil })
        let lines = CapturedLog()
        try lines.capture {
            for round in 1...UnclaimedChannels.limit + 10 {
                remote.open(SPSM(rawValue: psm))
                try #require(talk.testbed.run { talk.ball.count("channel \(psm)") == round })
                talk.ball.channels.removeAll()
                try #require(talk.testbed.run { remote.channels.count == round })
                talk.testbed.run(.milliseconds(10))
            }
        }
        #expect(lines.all.count == UnclaimedChannels.limit + 10 && remote.failures.isEmpty)
    }
}
