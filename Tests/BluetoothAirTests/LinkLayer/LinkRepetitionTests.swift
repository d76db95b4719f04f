// Links between devices that had one before, that have others beside it, or that do a second time what they did once.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@Suite("Links made and used again")
struct LinkRepetitionTests {
    private static let key = Octets16(high: 0x1122_3344_5566_7788, low: 0x99AA_BBCC_DDEE_FF00)

    @Test("A peripheral that has not missed its central yet takes no second link with it, and takes one afterwards")
    func centralReset() throws {
        let link = try TestLink(AirTestbed())
        let (central, peripheral) = (link.central, link.peripheral)
        central.setUp(leEvents: TestHost.usualEvents)
        peripheral.ok(LESetAdvertisingEnable(isEnabled: true))
        central.ok(TestHost.createConnection(to: peripheral.controller.address))
        link.testbed.pass(.milliseconds(700))
        #expect(central.take(LEConnectionComplete.self) == nil && peripheral.controller.linkCount == 1)
        link.testbed.pass(.milliseconds(200))
        #expect(peripheral.take(DisconnectionComplete.self)?.reason == .connectionTimeout)
        #expect(central.take(LEConnectionComplete.self)?.status == .success)
        #expect(peripheral.take(LEConnectionComplete.self)?.status == .success)
        #expect(central.controller.linkCount == 1 && peripheral.controller.linkCount == 1)
    }

    @Test("A central that has not missed its peripheral yet is not connected to it a second time")
    func peripheralReset() throws {
        let link = try TestLink(AirTestbed())
        let (central, peripheral) = (link.central, link.peripheral)
        peripheral.setUp(leEvents: TestHost.usualEvents)
        peripheral.advertise()
        central.ok(LEAddDeviceToFilterAcceptList(entry: .device(peripheral.controller.address)))
        central.ok(TestHost.createConnection(to: .none, filterPolicy: .acceptList))
        link.testbed.pass(.milliseconds(700))
        #expect(central.take(LEConnectionComplete.self) == nil && peripheral.controller.linkCount == 0)
        link.testbed.pass(.milliseconds(200))
        #expect(central.take(DisconnectionComplete.self)?.reason == .connectionTimeout)
        #expect(central.take(LEConnectionComplete.self)?.status == .success)
    }

    @Test("An initiator whose last place was taken by another link waits until there is one again")
    func initiatorWithoutCapacity() throws {
        var configuration = VirtualControllerConfiguration()
        configuration.maximumLinkCount = 1
        let testbed = AirTestbed()
        let middle = testbed.host(configuration: configuration)
        let (wanted, other) = (testbed.host(), testbed.host())
        middle.advertise()
        middle.ok(TestHost.createConnection(to: wanted.controller.address))
        other.ok(TestHost.createConnection(to: middle.controller.address))
        testbed.pass(.milliseconds(300))
        let first = try #require(middle.take(LEConnectionComplete.self))
        #expect(first.role == .peripheral && first.peer == other.controller.address)
        wanted.advertise()
        testbed.pass(.seconds(1))
        #expect(middle.take(LEConnectionComplete.self) == nil && wanted.controller.linkCount == 0)
        middle.ok(Disconnect(handle: first.handle))
        testbed.pass(.milliseconds(300))
        let second = try #require(middle.take(LEConnectionComplete.self))
        #expect(second.role == .central && second.peer == wanted.controller.address)
        #expect(second.handle != first.handle)
    }

    @Test("Data begins a PDU with both flags that say so, in one piece and in several (Vol 4, Part E, 5.4.2)")
    func boundaries() throws {
        let link = try TestLink(AirTestbed())
        for (boundary, count, expected) in [
            (.firstNonFlushable, 1, [.firstFlushable]), (.firstFlushable, 1, [.firstFlushable]),
            (.continuing, 1, [.continuing]), (.firstNonFlushable, 28, [.firstFlushable, .continuing]),
            (.firstFlushable, 28, [.firstFlushable, .continuing]), (.continuing, 28, [.continuing, .continuing]),
            (.firstFlushable, 27, [.firstFlushable]), (.complete, 1, []),
        ] as [(ACLDataHeader.Boundary, Int, [ACLDataHeader.Boundary])] {
            link.peripheral.data = []
            link.central.sendData(
                [UInt8](repeating: 1, count: count),
                on: link.centralHandle,
                boundary: boundary
            )
            link.testbed.loop.run()
            #expect(link.peripheral.data.map(\.boundary) == expected, "\(boundary) \(count)")
        }
    }

    @Test("An encrypted link ends with 0x06 where the peripheral's host does not want to be asked for another key")
    func maskedRefresh() throws {
        let link = try TestLink(AirTestbed())
        let enable = LEEnableEncryption(handle: link.centralHandle, longTermKey: Self.key)
        link.central.ok(enable)
        link.peripheral.ok(LELongTermKeyRequestReply(handle: link.peripheralHandle, longTermKey: Self.key))
        #expect(link.central.take(EncryptionChange.self)?.encryption == .on)
        link.peripheral.ok(LESetEventMask(mask: LEEventMask([.connectionComplete])))
        link.central.ok(enable)
        link.testbed.loop.run()
        #expect(link.central.take(DisconnectionComplete.self)?.reason == .pinOrKeyMissing)
        #expect(link.peripheral.take(DisconnectionComplete.self)?.reason == .localHostTerminated)
        #expect(link.central.take(EncryptionKeyRefreshComplete.self) == nil)
    }

    @Test("A link that found no key is encrypted with the next one that its host gives")
    func keyAfterRefusal() throws {
        let link = try TestLink(AirTestbed())
        let enable = LEEnableEncryption(handle: link.centralHandle, longTermKey: Self.key)
        link.central.ok(enable)
        link.peripheral.ok(LELongTermKeyRequestNegativeReply(handle: link.peripheralHandle))
        #expect(link.central.take(EncryptionChange.self)?.status == .pinOrKeyMissing)
        link.central.ok(enable)
        link.peripheral.ok(LELongTermKeyRequestReply(handle: link.peripheralHandle, longTermKey: Self.key))
        for (host, handle) in [(link.central, link.centralHandle), (link.peripheral, link.peripheralHandle)] {
            #expect(
                host.takeAll(EncryptionChange.self) == [EncryptionChange(handle: handle, encryption: .on)]
            )
        }
        link.testbed.pass(.seconds(100))
        #expect(link.central.take(DisconnectionComplete.self) == nil, "no procedure waits any more")
    }

    @Test("Features and version are asked for again on a new link with the same device")
    func secondLink() throws {
        let testbed = AirTestbed()
        let (central, peripheral) = (testbed.host(), testbed.host())
        for _ in 0..<2 {
            let link = try TestLink(testbed, central: central, peripheral: peripheral)
            central.ok(LEReadRemoteFeatures(handle: link.centralHandle))
            central.ok(ReadRemoteVersionInformation(handle: link.centralHandle))
            let features = try #require(central.take(LEReadRemoteFeaturesComplete.self))
            #expect(features.handle == link.centralHandle && features.features.contains(.encryption))
            let version = try #require(central.take(ReadRemoteVersionInformationComplete.self))
            #expect(version.handle == link.centralHandle && version.version == .v5_4)
            #expect(version.company == 0xFFFF && version.subversion == 1)
            central.ok(Disconnect(handle: link.centralHandle))
            #expect(central.take(DisconnectionComplete.self)?.reason == .localHostTerminated)
            #expect(peripheral.take(DisconnectionComplete.self)?.reason == .remoteUserTerminated)
        }
    }
}
