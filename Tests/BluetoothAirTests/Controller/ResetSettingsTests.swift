// What a host has set and HCI Reset clears, each read back or put to use afterwards (Vol 4, Part E, 7.3.2), and what is
// there before a host has set anything.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Settings after HCI Reset")
struct ResetSettingsTests {
    private let testbed = AirTestbed()

    private func reset(_ host: TestHost) {
        host.setUp(leEvents: TestHost.usualEvents)
        host.events = []
    }

    @Test("The compensation for what lies between radio and antenna is none")
    func compensation() throws {
        let host = self.testbed.host()
        for _ in 0..<2 {
            let answer = try #require(host.run(LEReadRFPathCompensation()))
            #expect(answer.transmitCompensation == 0 && answer.receiveCompensation == 0)
            host.ok(LEWriteRFPathCompensation(transmitCompensation: -5, receiveCompensation: 7))
            let changed = try #require(host.run(LEReadRFPathCompensation()))
            #expect(changed.transmitCompensation == -5 && changed.receiveCompensation == 7)
            self.reset(host)
        }
    }

    @Test("The suggested data length is 27 octets in 328 µs")
    func dataLength() throws {
        let host = self.testbed.host()
        for _ in 0..<2 {
            let answer = try #require(host.run(LEReadSuggestedDefaultDataLength()))
            #expect(answer.transmitOctets == 27 && answer.transmitTime == 328)
            host.ok(LEWriteSuggestedDefaultDataLength(transmitOctets: 100, transmitTime: 1_000))
            self.reset(host)
        }
    }

    @Test("There is no random address")
    func randomAddress() {
        let host = self.testbed.host()
        for _ in 0..<2 {
            host.refused(
                TestHost.createConnection(to: DeviceAddress(1, kind: .public), ownAddressType: .random),
                .invalidParameters
            )
            host.ok(LESetRandomAddress(address: DeviceAddress(0xC000_0000_0001, kind: .random)))
            host.ok(TestHost.createConnection(to: DeviceAddress(1, kind: .public), ownAddressType: .random))
            self.reset(host)
        }
    }

    @Test("There is no key for an agreement")
    func privateKey() throws {
        let host = self.testbed.host()
        for _ in 0..<2 {
            host.refused(LEGenerateDHKey(x: .zero, y: .zero), .commandDisallowed)
            host.ok(LEReadLocalP256PublicKey())
            let own = try #require(host.take(LEReadLocalP256PublicKeyComplete.self))
            host.ok(LEGenerateDHKey(x: own.x, y: own.y))
            #expect(host.take(LEGenerateDHKeyComplete.self)?.status == .success)
            self.reset(host)
        }
    }

    @Test("All PHYs are welcome")
    func phys() throws {
        let peripheral = self.testbed.host()
        peripheral.ok(LESetDefaultPHY(preference: PHYPreference(transmitter: .le1M, receiver: .le1M)))
        self.reset(peripheral)
        let link = try TestLink(self.testbed, peripheral: peripheral)
        let preference = PHYPreference(transmitter: nil, receiver: nil)
        link.central.ok(LESetPHY(handle: link.centralHandle, preference: preference))
        let event = try #require(link.central.take(LEPHYUpdateComplete.self))
        #expect(event.transmitter == .le2M && event.receiver == .le2M)
    }

    @Test("Addresses are not resolved, the resolving list is empty, and a private address lasts 900 s")
    func privacy() throws {
        let host = self.testbed.host()
        let peer = DeviceAddress(1, kind: .public)
        let key = Octets16(high: 1, low: 2)
        let add = LEAddDeviceToResolvingList(
            peer: peer,
            peerIdentityResolvingKey: .zero,
            localIdentityResolvingKey: key
        )
        host.ok(add)
        host.ok(LESetAddressResolutionEnable(isEnabled: true))
        host.ok(LESetResolvablePrivateAddressTimeout(timeout: ResolvablePrivateAddressTimeout(rawValue: 1)))
        self.reset(host)
        host.refused(LERemoveDeviceFromResolvingList(peer: peer), .unknownConnectionIdentifier)
        host.ok(add)
        func address() -> UInt64? {
            host.ok(TestHost.createConnection(to: peer, ownAddressType: .resolvableOrPublic))
            // Nothing is resolved, so the list may change meanwhile.
            host.ok(LESetPrivacyMode(peer: peer, mode: .device))
            defer { host.ok(LECreateConnectionCancel()) }
            return host.run(LEReadLocalResolvableAddress(peer: peer))?.address.value
        }
        let first = try #require(address())
        self.testbed.pass(.seconds(899))
        #expect(address() == first)
        self.testbed.pass(.seconds(1))
        #expect(address() != first)
    }

    @Test("The host gets the first five LE events alone, and none of the second page (7.3.69, 7.8.1)")
    func masks() throws {
        let central = self.testbed.host()
        central.ok(SetEventMaskPage2(mask: EventMaskPage2([.encryptionChangeV2])))
        central.ok(Reset())
        central.ok(SetEventMask(mask: EventMask(rawValue: .max)))
        let peripheral = self.testbed.host()
        peripheral.advertise()
        central.ok(TestHost.createConnection(to: peripheral.controller.address))
        self.testbed.pass(.milliseconds(300))
        let event = try #require(central.take(LEConnectionComplete.self))
        #expect(central.events.isEmpty, "no LE Channel Selection Algorithm")
        central.ok(LEEnableEncryption(handle: event.handle, longTermKey: .zero))
        let request = try #require(peripheral.take(LELongTermKeyRequest.self))
        peripheral.ok(LELongTermKeyRequestReply(handle: request.handle, longTermKey: .zero))
        #expect(central.take(EncryptionChange.self)?.encryption == .on)
        #expect(central.events.isEmpty)
    }

    @Test("After a reset the host gets no LE event, and is told of the end of a link (7.3.1)")
    func firstMask() throws {
        let central = self.testbed.host()
        central.ok(Reset())
        let peripheral = self.testbed.host()
        peripheral.advertise()
        central.ok(TestHost.createConnection(to: peripheral.controller.address))
        self.testbed.pass(.milliseconds(300))
        #expect(central.events.isEmpty && central.controller.linkCount == 1)
        let handle = try #require(peripheral.take(LEConnectionComplete.self)).handle
        peripheral.ok(Disconnect(handle: handle))
        #expect(central.take(DisconnectionComplete.self)?.reason == .remoteUserTerminated)
    }

    // MARK: Before a host has set anything

    @Test("A set that was not configured is connectable and scannable, every 1.28 s, from the public address (7.8.5)")
    func advertising() {
        let parameters = AdvertisingParameters()
        #expect(parameters.properties == [.legacy, .connectable, .scannable])
        #expect(parameters.interval == .milliseconds(1_280) && parameters.ownAddressType == .public)
        #expect(parameters.peer == .none && parameters.filterPolicy == .all && parameters.txPower == 0)
        #expect(parameters.primaryPHY == .le1M && parameters.secondaryPHY == .le1M)
        #expect(parameters.setIdentifier == 0 && !parameters.notifiesScanRequests)
        let (advertiser, scanner) = (self.testbed.host(), self.testbed.host())
        scanner.scan()
        advertiser.ok(LESetAdvertisingEnable(isEnabled: true))
        self.testbed.pass(.milliseconds(1_279))
        #expect(scanner.reports.map(\.eventType) == [.connectableUndirected])
        self.testbed.pass(.milliseconds(11))
        #expect(scanner.reports.map(\.address) == [advertiser.controller.address])
    }

    @Test("A scan that was not configured is passive, and listens all the time on LE 1M (7.8.10)")
    func scanning() throws {
        let parameters = ScanParameters()
        let channel = try #require(parameters.le1M)
        #expect(!channel.isActive && parameters.leCoded == nil)
        #expect(channel.plan.interval == .milliseconds(10) && channel.plan.window == .milliseconds(10))
        #expect(parameters.ownAddressType == .public && parameters.filterPolicy == .all)
        let (advertiser, scanner) = (self.testbed.host(), self.testbed.host())
        advertiser.advertise()
        scanner.ok(LESetScanEnable(isEnabled: true))
        self.testbed.pass(.milliseconds(150))
        #expect(scanner.reports.map(\.eventType) == [.connectableUndirected])
    }
}
