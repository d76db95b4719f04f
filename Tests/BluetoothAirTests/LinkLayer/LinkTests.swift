import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Links")
struct LinkTests {
    @Test("both ends get data in order, with their own handles")
    func data() throws {
        let link = try TestLink(AirTestbed())
        link.central.sendData([1, 2, 3], on: link.centralHandle)
        link.central.sendData([4], on: link.centralHandle)
        link.peripheral.sendData([5, 6], on: link.peripheralHandle)
        #expect(link.peripheral.data.isEmpty)
        link.testbed.loop.run()
        #expect(
            link.peripheral.data.map(\.octets) == [[1, 2, 3], [4]] && link.central.data.map(\.octets) == [[5, 6]]
        )
        for (host, handle) in link.ends {
            #expect(host.data.allSatisfy { $0.handle == handle })
            #expect(host.outstanding[handle] == 0)
        }
    }

    @Test("delivers one turn in one batch, and reports it in one event")
    func batches() throws {
        let link = try TestLink(AirTestbed())
        let batches = link.peripheral.batches
        for value in 0..<20 { link.central.sendData([UInt8(value)], on: link.centralHandle) }
        link.testbed.loop.run()
        #expect(link.peripheral.data.map(\.octets) == (0..<20).map { [UInt8($0)] })
        #expect(link.peripheral.batches == batches + 1)
        let completed = link.central.takeAll(NumberOfCompletedPackets.self)
        #expect(completed.count == 1)
        #expect(completed.first.map { Array($0.completed) } == [.init(handle: link.centralHandle, count: 20)])
    }

    @Test("splits packets longer than the link's data length, and reports the original packets")
    func fragments() throws {
        let link = try TestLink(AirTestbed())
        let octets = (0..<100).map { UInt8($0) }
        link.central.sendData(octets, on: link.centralHandle)
        link.central.sendData([0xFF], on: link.centralHandle, boundary: .continuing)
        link.testbed.loop.run()
        #expect(link.peripheral.data.map(\.octets.count) == [27, 27, 27, 19, 1])
        #expect(link.peripheral.data.flatMap(\.octets) == octets + [0xFF])
        let completed = link.central.takeAll(NumberOfCompletedPackets.self).flatMap { Array($0.completed) }
        #expect(completed == [.init(handle: link.centralHandle, count: 2)])
    }

    @Test("ignores data for all links or no link, and with a wrong length (5.4.2)")
    func ignored() throws {
        let link = try TestLink(AirTestbed())
        let low = UInt8(truncatingIfNeeded: link.centralHandle.rawValue)
        let high = UInt8(link.centralHandle.rawValue >> 8)
        link.central.sendData([1], on: ConnectionHandle(rawValue: 0x0EFF))
        for octets in [
            // Both broadcast flags, an octet too many, one too few, and only a header.
            [0x02, low, high | 0x40, 0x01, 0x00, 0x07], [0x02, low, high | 0x80, 0x01, 0x00, 0x07],
            [0x02, low, high, 0x01, 0x00, 0x07, 0x08], [0x02, low, high, 0x02, 0x00, 0x07], [0x02, low],
        ] {
            link.central.send(HCIPacket(h4: ByteBuffer(bytes: octets)))
        }
        link.testbed.loop.run()
        #expect(link.peripheral.data.isEmpty && link.central.events.isEmpty)
        // An empty fragment carries nothing, but uses a buffer for a moment.
        link.central.sendData([], on: link.centralHandle)
        link.testbed.loop.run()
        #expect(link.peripheral.data.isEmpty)
        #expect(link.central.take(NumberOfCompletedPackets.self) != nil)
        link.central.send(HCIPacket(h4: ByteBuffer(bytes: [0x02, low, high, 0x01, 0x00, 0x07])))
        link.testbed.loop.run()
        #expect(link.peripheral.data.map(\.octets) == [[7]])
    }

    @Test(
        "a disconnection is reported to the peer with its reason, and to its own host with 0x16 (7.1.6)",
        arguments: [0, 1],
        [0x05, 0x13, 0x14, 0x15, 0x1A, 0x29, 0x3B]
    )
    func disconnect(number: Int, reason: UInt8) throws {
        let link = try TestLink(AirTestbed())
        let (host, handle) = link.ends[number]
        let (peer, peerHandle) = link.ends[1 - number]
        let reason = HCIErrorCode(rawValue: reason)
        host.sendData([9], on: handle)
        host.ok(Disconnect(handle: handle, reason: reason))
        #expect(peer.data.map(\.octets) == [[9]])
        #expect(
            host.take(DisconnectionComplete.self) == DisconnectionComplete(handle: handle, reason: .localHostTerminated)
        )
        #expect(peer.take(DisconnectionComplete.self) == DisconnectionComplete(handle: peerHandle, reason: reason))
        host.refused(Disconnect(handle: handle), .unknownConnectionIdentifier)
        #expect(link.isOpen == [false, false])
    }

    @Test("refuses reasons that a host may not give")
    func disconnectReasons() throws {
        let link = try TestLink(AirTestbed())
        for reason in [HCIErrorCode.success, .connectionTimeout, .localHostTerminated, .connectionTerminatedMICFailure]
        {
            link.central.refused(Disconnect(handle: link.centralHandle, reason: reason), .invalidParameters)
        }
        #expect(link.central.controller.linkCount == 1)
    }

    @Test("reports nothing of a link after its end")
    func nothingAfterEnd() throws {
        let link = try TestLink(AirTestbed())
        // Both ends send and end the link in the same turn.
        for (host, handle) in link.ends { for _ in 0..<5 { host.sendData([1], on: handle) } }
        for (host, handle) in link.ends { host.send(Disconnect(handle: handle)) }
        for _ in 0..<5 { link.peripheral.sendData([2], on: link.peripheralHandle) }
        link.testbed.loop.run()
        for (host, _) in link.ends {
            let end = try #require(host.events.firstIndex { $0.payload is DisconnectionComplete })
            #expect(host.events.filter { $0.payload is DisconnectionComplete }.count == 1)
            #expect(!host.events[end...].contains { $0.payload is NumberOfCompletedPackets })
        }
        // The buffers of the ended link are free.
        let again = try TestLink(link.testbed, central: link.central)
        for value in 0..<64 { link.central.sendData([UInt8(value)], on: again.centralHandle) }
        link.testbed.loop.run()
        #expect(link.central.take(DataBufferOverflow.self) == nil)
        #expect(again.peripheral.data.count == 64)
    }

    @Test("a host is never called from inside send, and may send from inside its batch")
    func reentrancy() throws {
        let link = try TestLink(AirTestbed())
        var echoes = 0
        link.peripheral.onPacket = { packet in
            guard packet.kind == .aclData, echoes < 100 else { return }
            echoes += 1
            link.peripheral.sendData([UInt8(echoes)], on: link.peripheralHandle)
        }
        link.central.onPacket = { packet in
            guard packet.kind == .aclData else { return }
            link.central.sendData([0], on: link.centralHandle)
        }
        link.central.sendData([0], on: link.centralHandle)
        link.testbed.loop.run()
        #expect(echoes == 100)
        #expect(link.central.data.count == 100)
    }

    @Test("keeps answers until the host starts")
    func lateStart() {
        let testbed = AirTestbed()
        let controller = testbed.air.makeController()
        controller.send(ReadBDADDR().packet())
        testbed.loop.run()
        let host = TestHost(testbed, controller)
        testbed.loop.run()
        #expect(host.take(CommandComplete.self)?.opcode == ReadBDADDR.opcode)
    }

    @Test("a peripheral accepts no second link of a central before it has lost the first one")
    func centralReset() throws {
        let link = try TestLink(AirTestbed())
        let (central, peripheral) = (link.central, link.peripheral)
        central.setUp()
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

    @Test("a central does not connect to a peripheral again before it has lost the first link")
    func peripheralReset() throws {
        let link = try TestLink(AirTestbed())
        let (central, peripheral) = (link.central, link.peripheral)
        peripheral.setUp()
        peripheral.advertise()
        central.ok(LEAddDeviceToFilterAcceptList(entry: .device(peripheral.controller.address)))
        central.ok(TestHost.createConnection(to: .none, filterPolicy: .acceptList))
        link.testbed.pass(.milliseconds(700))
        #expect(central.take(LEConnectionComplete.self) == nil && peripheral.controller.linkCount == 0)
        link.testbed.pass(.milliseconds(200))
        #expect(central.take(DisconnectionComplete.self)?.reason == .connectionTimeout)
        #expect(central.take(LEConnectionComplete.self)?.status == .success)
    }

    @Test("data starts a PDU with either start flag, in one or several fragments (Vol 4, Part E, 5.4.2)")
    func boundaries() throws {
        let link = try TestLink(AirTestbed())
        for (boundary, count, expected) in [
            (.firstNonFlushable, 1, [.firstFlushable]), (.firstFlushable, 1, [.firstFlushable]),
            (.continuing, 1, [.continuing]), (.firstNonFlushable, 28, [.firstFlushable, .continuing]),
            (.firstFlushable, 28, [.firstFlushable, .continuing]), (.continuing, 28, [.continuing, .continuing]),
            (.firstFlushable, 27, [.firstFlushable]), (.complete, 1, []),
        ] as [(ACLDataHeader.Boundary, Int, [ACLDataHeader.Boundary])] {
            link.peripheral.data = []
            link.central.sendData([UInt8](repeating: 1, count: count), on: link.centralHandle, boundary: boundary)
            link.testbed.loop.run()
            #expect(link.peripheral.data.map(\.boundary) == expected, "\(boundary) \(count)")
        }
    }

    @Test("a peer that is gone, or out of reach, is read with the weakest strength (7.5.4)", arguments: [true, false])
    func weakestStrength(isGone: Bool) throws {
        let link = try TestLink(AirTestbed())
        #expect(link.central.run(ReadRSSI(handle: link.centralHandle))?.rssi == -45)
        if isGone {
            link.peripheral.controller.close()
        } else {
            link.peripheral.controller.distance = .metres(1_000)
        }
        #expect(link.central.run(ReadRSSI(handle: link.centralHandle))?.rssi == -95)
    }

    @Test("drops data that is longer than the controller takes, or beyond its buffers, with Data Buffer Overflow")
    func overflow() throws {
        let testbed = AirTestbed()
        let central = testbed.host {
            $0.model.aclDataPacketLength = 30
            $0.model.aclDataPacketCount = 4
        }
        let link = try TestLink(testbed, central: central)
        for (lengths, taken, lost) in [
            ([30], [27, 3], 0), ([31], [], 1), ([1, 2, 3, 4, 5, 6], [1, 2, 3, 4], 2), ([7], [7], 0),
        ] {
            link.peripheral.data = []
            for length in lengths { central.sendData([UInt8](repeating: 1, count: length), on: link.centralHandle) }
            testbed.loop.run()
            #expect(link.peripheral.data.map(\.octets.count) == taken)
            let overflows = central.takeAll(DataBufferOverflow.self)
            #expect(overflows.count == lost && overflows.allSatisfy { $0.linkType == .acl })
        }
    }
}
