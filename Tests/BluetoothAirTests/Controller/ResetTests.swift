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
        host.setUp()
        host.events = []
    }

    /// Expects that an action of the host has an effect, not after a reset, and again when it is repeated.
    private func expectEnd(of action: () -> Void, by host: TestHost, noticedBy observer: TestHost) {
        for _ in 0..<2 {
            action()
            self.testbed.pass(.seconds(1))
            #expect(!observer.events.isEmpty)
            self.reset(host)
            observer.events = []
            self.testbed.pass(.seconds(5))
            #expect(observer.events.isEmpty && host.events.isEmpty)
        }
    }

    @Test("ends advertising, which may begin again, by the commands of either family")
    func advertising() {
        let (advertiser, scanner) = (self.testbed.host(), self.testbed.host())
        scanner.scan()
        self.expectEnd(of: { advertiser.advertise() }, by: advertiser, noticedBy: scanner)
        func advertiseSet() {
            advertiser.ok(
                LESetExtendedAdvertisingParameters(
                    advertisingHandle: 1,
                    properties: [.legacy, .connectable, .scannable]
                )
            )
            advertiser.ok(LESetExtendedAdvertisingEnable(1))
        }
        self.expectEnd(of: advertiseSet, by: advertiser, noticedBy: scanner)
        advertiser.refused(LESetExtendedAdvertisingEnable(1), .unknownAdvertisingIdentifier)
        self.reset(advertiser)
        self.expectEnd(of: { advertiser.advertise() }, by: advertiser, noticedBy: scanner)
    }

    @Test("ends a scan, which may begin again")
    func scanning() {
        let (advertiser, scanner) = (self.testbed.host(), self.testbed.host())
        advertiser.advertise()
        self.expectEnd(of: { scanner.scan() }, by: scanner, noticedBy: scanner)
        // One of 3 s.
        self.expectEnd(of: { scanner.extendedScan(duration: 300) }, by: scanner, noticedBy: scanner)
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
        peripheral.limitBuffers(2)
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

    @Test("forgets its private key and its random address")
    func privateKeyAndAddress() throws {
        let host = self.testbed.host()
        let connect = TestHost.createConnection(to: DeviceAddress(1, kind: .public), ownAddressType: .random)
        for _ in 0..<2 {
            host.refused(LEGenerateDHKey(x: .zero, y: .zero), .commandDisallowed)
            host.ok(LEReadLocalP256PublicKey())
            let own = try #require(host.take(LEReadLocalP256PublicKeyComplete.self))
            host.ok(LEGenerateDHKey(x: own.x, y: own.y))
            #expect(host.take(LEGenerateDHKeyComplete.self)?.status == .success)
            host.refused(connect, .invalidParameters)
            host.ok(LESetRandomAddress(address: DeviceAddress(0xC000_0000_0001, kind: .random)))
            host.ok(connect)
            self.reset(host)
        }
    }

    @Test("forgets the preferred PHYs")
    func phys() throws {
        let peripheral = self.testbed.host()
        peripheral.ok(LESetDefaultPHY(preference: PHYPreference(transmitter: .le1M, receiver: .le1M)))
        self.reset(peripheral)
        let link = try TestLink(self.testbed, peripheral: peripheral)
        link.central.ok(LESetPHY(link.centralHandle, nil, nil))
        let event = try #require(link.central.take(LEPHYUpdateComplete.self))
        #expect(event.transmitter == .le2M && event.receiver == .le2M)
    }

    @Test("addresses are not resolved, the resolving list is empty, and a private address lasts 900 s")
    func privacy() throws {
        let host = self.testbed.host()
        let peer = DeviceAddress(1, kind: .public)
        let add = TestHost.addition(of: peer, localKey: Octets16(high: 1, low: 2))
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

    @Test("the host gets only the first five LE events, and none of the second page (7.3.69, 7.8.1)")
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
