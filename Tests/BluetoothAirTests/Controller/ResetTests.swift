// Everything that HCI Reset ends or clears (Vol 4, Part E, 7.3.2).

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("HCI Reset")
struct ResetTests {
    private let testbed = AirTestbed()

    private func reset(_ host: TestHost) {
        host.setUp(leEvents: TestHost.usualEvents)
        host.events = []
    }

    @Test("ends advertising, which may begin again")
    func advertising() {
        let (advertiser, scanner) = (self.testbed.host(), self.testbed.host())
        advertiser.advertise()
        scanner.scan()
        self.testbed.pass(.seconds(1))
        #expect(!scanner.reports.isEmpty)
        self.reset(advertiser)
        scanner.events = []
        self.testbed.pass(.seconds(5))
        #expect(scanner.events.isEmpty && advertiser.events.isEmpty)
        advertiser.advertise()
        self.testbed.pass(.seconds(1))
        #expect(!scanner.reports.isEmpty)
    }

    @Test("an advertising set is gone, and the legacy commands are allowed again")
    func advertisingSets() {
        let (advertiser, scanner) = (self.testbed.host(), self.testbed.host())
        let handle = AdvertisingHandle(rawValue: 1)
        advertiser.ok(
            LESetExtendedAdvertisingParameters(
                advertisingHandle: handle,
                properties: [.legacy, .connectable, .scannable],
                txPower: 0,
                setIdentifier: 1
            )
        )
        advertiser.ok(
            LESetExtendedAdvertisingEnable(
                isEnabled: true,
                sets: [.init(handle: handle, duration: 0, maximumEvents: 0)]
            )
        )
        scanner.scan()
        self.testbed.pass(.seconds(1))
        #expect(!scanner.reports.isEmpty)
        self.reset(advertiser)
        scanner.events = []
        self.testbed.pass(.seconds(5))
        #expect(scanner.events.isEmpty)
        advertiser.advertise()
        self.testbed.pass(.seconds(1))
        #expect(!scanner.reports.isEmpty)
    }

    @Test("ends a scan, which may begin again", arguments: [false, true])
    func scanning(isExtended: Bool) {
        let (advertiser, scanner) = (self.testbed.host(), self.testbed.host())
        advertiser.advertise()
        func scan() {
            guard isExtended else { return scanner.scan() }
            let channel = LESetExtendedScanParameters.PHYParameters(type: .passive)
            scanner.ok(LESetExtendedScanParameters(ownAddressType: .public, filterPolicy: .all, le1M: channel))
            // 3 s.
            scanner.ok(LESetExtendedScanEnable(isEnabled: true, filterDuplicates: .off, duration: 300, period: 0))
        }
        scan()
        self.testbed.pass(.seconds(1))
        #expect(!scanner.events.isEmpty)
        self.reset(scanner)
        self.testbed.pass(.seconds(5))
        #expect(scanner.events.isEmpty)
        scan()
        self.testbed.pass(.seconds(1))
        #expect(!scanner.events.isEmpty)
    }

    @Test("an initiator connects to nobody, and may initiate again")
    func initiating() {
        let (central, peripheral) = (self.testbed.host(), self.testbed.host())
        let command = TestHost.createConnection(to: peripheral.controller.address)
        central.ok(command)
        self.reset(central)
        peripheral.advertise()
        self.testbed.pass(.seconds(2))
        #expect(central.events.isEmpty && peripheral.events.isEmpty)
        #expect(central.controller.linkCount == 0 && peripheral.controller.linkCount == 0)
        central.ok(command)
        self.testbed.pass(.seconds(1))
        #expect(central.take(LEConnectionComplete.self)?.status == .success)
        #expect(central.controller.linkCount == 1 && peripheral.controller.linkCount == 1)
    }

    @Test("the filter accept list is empty")
    func acceptList() {
        let (central, peripheral) = (self.testbed.host(), self.testbed.host())
        central.ok(LEAddDeviceToFilterAcceptList(entry: .device(peripheral.controller.address)))
        self.reset(central)
        peripheral.advertise()
        central.ok(TestHost.createConnection(to: .none, filterPolicy: .acceptList))
        self.testbed.pass(.seconds(1))
        #expect(central.events.isEmpty && central.controller.linkCount == 0)
    }

    @Test("ends flow control, and forgets the number of the host's buffers")
    func flowControl() throws {
        let peripheral = self.testbed.host()
        peripheral.ok(HostBufferSize(aclDataPacketLength: 251, aclDataPacketCount: 2))
        peripheral.ok(SetControllerToHostFlowControl(mode: .acl))
        self.reset(peripheral)
        let link = try TestLink(self.testbed, peripheral: peripheral)
        for value in 0..<6 { link.central.sendData([UInt8(value)], on: link.centralHandle) }
        self.testbed.loop.run()
        #expect(peripheral.data.count == 6)
        self.reset(peripheral)
        peripheral.refused(SetControllerToHostFlowControl(mode: .acl), .commandDisallowed)
    }

    @Test("keeps the location of the device and the state of its transport")
    func device() {
        let host = self.testbed.host()
        host.controller.distance = .metres(7)
        for isWritable in [false, true] {
            host.controller.isHostWritable = isWritable
            self.reset(host)
            #expect(host.controller.isHostWritable == isWritable)
            #expect(host.controller.distance == .metres(7))
        }
    }

    @Test("forgets its random address")
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

    @Test("forgets its private key")
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

    @Test("forgets the preferred PHYs")
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

    @Test("addresses are not resolved, the resolving list is empty, and a private address lasts 900 s")
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
        host.ok(LESetResolvablePrivateAddressTimeout(timeout: 1))
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

    @Test("the host gets the first five LE events alone, and none of the second page (7.3.69, 7.8.1)")
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

    @Test("after a reset the host gets no LE event, and is told of the end of a link (7.3.1)")
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

    @Test("advertises connectably every 1.28 s from the public address if parameters were not set (7.8.5)")
    func unsetAdvertising() {
        let (advertiser, scanner) = (self.testbed.host(), self.testbed.host())
        scanner.scan()
        advertiser.ok(LESetAdvertisingEnable(isEnabled: true))
        self.testbed.pass(.milliseconds(1_279))
        #expect(scanner.reports.map(\.eventType) == [.connectableUndirected])
        self.testbed.pass(.milliseconds(11))
        #expect(scanner.reports.map(\.address) == [advertiser.controller.address])
    }

    @Test("scans passively if parameters were not set (7.8.10)")
    func unsetScanning() {
        let (advertiser, scanner) = (self.testbed.host(), self.testbed.host())
        advertiser.advertise()
        scanner.ok(LESetScanEnable(isEnabled: true))
        self.testbed.pass(.milliseconds(150))
        #expect(scanner.reports.map(\.eventType) == [.connectableUndirected])
    }
}
