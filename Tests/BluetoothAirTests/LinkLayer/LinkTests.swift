import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Links")
struct LinkTests {
    @Test("both ends get data in order, with the flag of a controller and their own handles")
    func data() throws {
        let link = try TestLink(AirTestbed())
        link.central.sendData([1, 2, 3], on: link.centralHandle)
        link.central.sendData([4], on: link.centralHandle, boundary: .continuing)
        link.peripheral.sendData([5, 6], on: link.peripheralHandle)
        #expect(link.peripheral.data.isEmpty)
        link.testbed.loop.run()
        #expect(
            link.peripheral.data == [
                ReceivedData(handle: link.peripheralHandle, boundary: .firstFlushable, octets: [1, 2, 3]),
                ReceivedData(handle: link.peripheralHandle, boundary: .continuing, octets: [4]),
            ]
        )
        #expect(
            link.central.data == [ReceivedData(handle: link.centralHandle, boundary: .firstFlushable, octets: [5, 6])]
        )
        #expect(link.central.outstanding[link.centralHandle] == 0)
        #expect(link.peripheral.outstanding[link.peripheralHandle] == 0)
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

    @Test("the packet's own memory is handed on")
    func noCopy() throws {
        let link = try TestLink(AirTestbed())
        var bytes = ByteBufferAllocator().buffer(capacity: 64)
        bytes.moveWriterIndex(to: 9)
        bytes.moveReaderIndex(to: 9)
        bytes.writeBytes([1, 2, 3])
        bytes.prependACLDataHeader(handle: link.centralHandle, boundary: .firstNonFlushable)
        let address = bytes.withVeryUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        var packet: HCIPacket? = HCIPacket(h4: bytes)
        bytes = ByteBuffer()
        var received: UInt?
        link.peripheral.onPacket = { packet in
            received = packet.bytes.withVeryUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        }
        if let taken = packet.take() { link.central.send(taken) }
        link.testbed.loop.run()
        #expect(received == address)
    }

    @Test("packets longer than the link's data length are cut, and put together by their flags")
    func fragments() throws {
        let link = try TestLink(AirTestbed())
        let octets = (0..<100).map { UInt8($0) }
        link.central.sendData(octets, on: link.centralHandle)
        link.central.sendData([0xFF], on: link.centralHandle, boundary: .continuing)
        link.testbed.loop.run()
        let data = link.peripheral.data
        #expect(data.map(\.octets.count) == [27, 27, 27, 19, 1])
        #expect(data.map(\.boundary) == [.firstFlushable, .continuing, .continuing, .continuing, .continuing])
        #expect(data.flatMap(\.octets) == octets + [0xFF])
        #expect(link.central.outstanding[link.centralHandle] == 0)
        let completed = link.central.takeAll(NumberOfCompletedPackets.self).flatMap { Array($0.completed) }
        #expect(completed == [.init(handle: link.centralHandle, count: 2)])
    }

    @Test("data beyond the buffers is dropped, and reported with Data Buffer Overflow")
    func overflow() throws {
        var configuration = VirtualControllerConfiguration()
        configuration.model.aclDataPacketCount = 4
        let testbed = AirTestbed()
        let link = try TestLink(testbed, central: testbed.host(configuration: configuration))
        for value in 0..<6 { link.central.sendData([UInt8(value)], on: link.centralHandle) }
        testbed.loop.run()
        #expect(link.peripheral.data.map(\.octets) == [[0], [1], [2], [3]])
        #expect(link.central.takeAll(DataBufferOverflow.self).count == 2)
        link.central.sendData([7], on: link.centralHandle)
        testbed.loop.run()
        #expect(link.peripheral.data.last?.octets == [7])
    }

    @Test("data for links that are not there, or with wrong flags, is ignored")
    func ignored() throws {
        let link = try TestLink(AirTestbed())
        link.central.sendData([1], on: ConnectionHandle(rawValue: 0x0EFF))
        link.central.sendData([1], on: link.centralHandle, boundary: .complete)
        link.central.send(HCIPacket(h4: ByteBuffer(bytes: [0x02, 0x40, 0x00, 0x05, 0x00, 0x01])))
        link.central.send(HCIPacket(h4: ByteBuffer(bytes: [0x02, 0x40])))
        link.testbed.loop.run()
        #expect(link.peripheral.data.isEmpty)
        #expect(link.central.events.isEmpty)
        // An empty fragment carries nothing, but uses a buffer for a moment.
        link.central.sendData([], on: link.centralHandle)
        link.testbed.loop.run()
        #expect(link.peripheral.data.isEmpty)
        #expect(link.central.take(NumberOfCompletedPackets.self) != nil)
    }

    @Test("a disconnection is reported to the peer with its reason, and to its own host with 0x16")
    func disconnect() throws {
        for (fromCentral, reason) in [(true, HCIErrorCode.remoteUserTerminated), (false, .remotePowerOff)] {
            let link = try TestLink(AirTestbed())
            let (host, handle) =
                fromCentral ? (link.central, link.centralHandle) : (link.peripheral, link.peripheralHandle)
            let (peer, peerHandle) =
                fromCentral ? (link.peripheral, link.peripheralHandle) : (link.central, link.centralHandle)
            host.sendData([9], on: handle)
            host.ok(Disconnect(handle: handle, reason: reason))
            #expect(peer.data.map(\.octets) == [[9]])
            #expect(
                host.take(DisconnectionComplete.self)
                    == DisconnectionComplete(handle: handle, reason: .localHostTerminated)
            )
            #expect(
                peer.take(DisconnectionComplete.self) == DisconnectionComplete(handle: peerHandle, reason: reason)
            )
            host.refused(Disconnect(handle: handle), .unknownConnectionIdentifier)
            #expect(host.controller.linkCount == 0)
            #expect(peer.controller.linkCount == 0)
        }
    }

    @Test("only reasons that a host may give are taken")
    func disconnectReasons() throws {
        let link = try TestLink(AirTestbed())
        for reason in [HCIErrorCode.success, .connectionTimeout, .localHostTerminated, .connectionTerminatedMICFailure]
        {
            link.central.refused(Disconnect(handle: link.centralHandle, reason: reason), .invalidParameters)
        }
        #expect(link.central.controller.linkCount == 1)
    }

    @Test("nothing of a link comes behind its end")
    func nothingAfterEnd() throws {
        let link = try TestLink(AirTestbed())
        // Both ends send and end the link in the same turn.
        for _ in 0..<5 { link.central.sendData([1], on: link.centralHandle) }
        for _ in 0..<5 { link.peripheral.sendData([2], on: link.peripheralHandle) }
        link.central.send(Disconnect(handle: link.centralHandle))
        link.peripheral.send(Disconnect(handle: link.peripheralHandle))
        for _ in 0..<5 { link.peripheral.sendData([2], on: link.peripheralHandle) }
        link.testbed.loop.run()
        for host in [link.central, link.peripheral] {
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

    @Test("a controller may be closed from inside its batch")
    func closeInBatch() throws {
        let link = try TestLink(AirTestbed())
        link.peripheral.onPacket = { _ in link.peripheral.controller.close() }
        link.central.sendData([1], on: link.centralHandle)
        link.central.sendData([2], on: link.centralHandle)
        link.testbed.loop.run()
        #expect(link.peripheral.data.map(\.octets) == [[1]])
        link.peripheral.send(Reset())
        link.testbed.pass(.seconds(1))
        #expect(link.peripheral.data.count == 1)
        #expect(link.central.take(DisconnectionComplete.self)?.reason == .connectionTimeout)
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

    @Test("a peripheral that has not missed its central yet takes no second link with it, and takes one afterwards")
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

    @Test("a central that has not missed its peripheral yet is not connected to it a second time")
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

    @Test("data begins a PDU with both flags that say so, in one piece and in several (Vol 4, Part E, 5.4.2)")
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

    @Test(
        "each reason that a host may give reaches the peer (7.1.6)",
        arguments: [0x05, 0x13, 0x14, 0x15, 0x1A, 0x29, 0x3B]
    )
    func reasons(reason: UInt8) throws {
        let link = try TestLink(AirTestbed())
        link.central.ok(Disconnect(handle: link.centralHandle, reason: HCIErrorCode(rawValue: reason)))
        #expect(link.peripheral.take(DisconnectionComplete.self)?.reason.rawValue == reason)
        #expect(link.central.take(DisconnectionComplete.self)?.reason.rawValue == 0x16)
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

    @Test("a data packet that is longer than the controller takes is dropped with Data Buffer Overflow")
    func longData() throws {
        var configuration = VirtualControllerConfiguration()
        configuration.model.aclDataPacketLength = 30
        let testbed = AirTestbed()
        let link = try TestLink(testbed, central: testbed.host(configuration: configuration))
        for (count, isTaken) in [(30, true), (31, false), (1, true)] {
            link.peripheral.data = []
            link.central.sendData([UInt8](repeating: 1, count: count), on: link.centralHandle)
            testbed.loop.run()
            #expect(link.peripheral.data.reduce(0) { $0 + $1.octets.count } == (isTaken ? count : 0))
            let overflows = link.central.takeAll(DataBufferOverflow.self)
            #expect(overflows == (isTaken ? [] : [DataBufferOverflow(linkType: .acl)]))
        }
    }

    @Test("a data packet for all links, and one with a wrong length, are ignored (5.4.2)")
    func malformedData() throws {
        let link = try TestLink(AirTestbed())
        let low = UInt8(truncatingIfNeeded: link.centralHandle.rawValue)
        let high = UInt8(link.centralHandle.rawValue >> 8)
        for octets in [
            // Both broadcast flags, no octet too many and none too few.
            [0x02, low, high | 0x40, 0x01, 0x00, 0x07], [0x02, low, high | 0x80, 0x01, 0x00, 0x07],
            [0x02, low, high, 0x01, 0x00, 0x07, 0x08], [0x02, low, high, 0x02, 0x00, 0x07],
        ] {
            link.central.send(HCIPacket(h4: ByteBuffer(bytes: octets)))
        }
        link.testbed.loop.run()
        #expect(link.peripheral.data.isEmpty && link.central.events.isEmpty)
        link.central.send(HCIPacket(h4: ByteBuffer(bytes: [0x02, low, high, 0x01, 0x00, 0x07])))
        link.testbed.loop.run()
        #expect(link.peripheral.data.map(\.octets) == [[7]])
    }
}

extension Optional where Wrapped: ~Copyable {
    /// The value, and nothing left behind.
    fileprivate mutating func take() -> Wrapped? {
        let value = consume self
        self = nil
        return value
    }
}
