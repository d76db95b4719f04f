// Hosts with privacy on one air, which recognize each other by their bonds.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothHost

/// A host with privacy.
private final class HiddenHost: LEHostDelegate {
    let host: LEHost
    let identity: IdentityInformation
    private(set) var connected: [DeviceAddress] = []
    private(set) var failed: [DeviceAddress] = []
    private(set) var reported: Set<DeviceAddress> = []

    init(_ number: UInt64, on air: Air, resolvingListSize: Int = 64) {
        self.identity = IdentityInformation(
            identityResolvingKey: Octets16(high: 7, low: number),
            address: DeviceAddress(0xC0DE_0000_0000 | number, kind: .random)
        )
        var configuration = LEHostConfiguration(
            address: self.identity.address,
            privacy: PrivacyConfiguration(rotationInterval: .seconds(60))
        )
        configuration.pairingSeed = number
        self.host = LEHost(eventLoop: air.eventLoop, configuration: configuration)
        self.host.identityResolvingKey = self.identity.identityResolvingKey
        self.host.delegate = self
        var controller = VirtualController.Configuration()
        controller.model.resolvingListSize = resolvingListSize
        self.host.attach(to: air.makeController(configuration: controller))
    }

    func advertise() {
        self.host.startAdvertising(AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, 6]))) { result in
            if case .failure(let error) = result { Issue.record("\(error)") }
        }
    }

    func host(_ host: LEHost, didConnect link: LinkInformation) { self.connected.append(link.peer) }
    func host(_ host: LEHost, didFailToConnectTo address: DeviceAddress, error: HCIErrorCode) {
        self.failed.append(address)
    }
    func host(_ host: LEHost, didReceiveAdvertisement report: AdvertisingReport) {
        self.reported.insert(report.address)
    }
}

@Suite("Privacy of hosts on an air")
struct HiddenHostTests {
    private let loop = EmbeddedEventLoop()
    private let air: Air

    init() { self.air = Air(eventLoop: self.loop, settings: .instant, seed: 1) }

    private func run(_ time: TimeAmount) { self.loop.advanceTime(by: time) }

    @Test(
        "connects to several bonded peers with privacy, with a resolving list for all, one, or none",
        arguments: [64, 1, 0]
    )
    func several(resolvingListSize: Int) {
        let central = HiddenHost(1, on: self.air, resolvingListSize: resolvingListSize)
        let peripherals = (2...4).map { HiddenHost($0, on: self.air) }
        let open = DeviceAddress(0xC0DE_0000_0009, kind: .random)
        let other = LEHost(eventLoop: self.loop, configuration: LEHostConfiguration(address: open))
        other.attach(to: self.air.makeController())
        self.run(.seconds(1))
        central.host.bondedPeers = peripherals.map { BondedPeer($0.identity) }
        for peripheral in peripherals { central.host.connect(to: peripheral.identity.address) }
        central.host.connect(to: open)
        self.run(.seconds(200))
        #expect(central.connected.isEmpty && central.failed.isEmpty)
        for peripheral in peripherals {
            peripheral.host.bondedPeers = [BondedPeer(central.identity)]
            peripheral.advertise()
            self.run(.seconds(150))
            #expect(central.connected.last == peripheral.identity.address)
            #expect(peripheral.connected == [central.identity.address])
        }
        other.startAdvertising(AdvertisingParameters(data: ByteBuffer(bytes: [2, 1, 6]))) { _ in }
        self.run(.seconds(20))
        #expect(central.connected == peripherals.map(\.identity.address) + [open])
        #expect(central.failed.isEmpty)
    }

    @Test("reports bonded peers by their identities, whichever side resolves them", arguments: [64, 1, 0])
    func scanning(resolvingListSize: Int) {
        let scanner = HiddenHost(1, on: self.air, resolvingListSize: resolvingListSize)
        let known = (2...4).map { HiddenHost($0, on: self.air) }
        let unknown = HiddenHost(5, on: self.air)
        self.run(.seconds(1))
        scanner.host.bondedPeers = known.map { BondedPeer($0.identity) }
        for device in known + [unknown] { device.advertise() }
        scanner.host.startScanning(ScanParameters())
        self.run(.seconds(200))
        #expect(scanner.reported.isSuperset(of: known.map(\.identity.address)))
        let others = scanner.reported.subtracting(known.map(\.identity.address))
        #expect(others.count >= 3 && others.allSatisfy { $0.randomKind == .resolvablePrivate })
        #expect(others.allSatisfy { ResolvablePrivateAddress.matches($0, unknown.identity.identityResolvingKey) })
    }
}
