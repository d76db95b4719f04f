import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Flow control to the host")
struct FlowControlTests {
    /// Reports completed packets of a link's host.
    private func complete(_ link: TestLink, _ count: UInt16) {
        let elements = [
            CompletedPackets.Element(handle: ConnectionHandle(rawValue: 0x0EFF), count: 3),
            CompletedPackets.Element(handle: link.peripheralHandle, count: count),
        ]
        link.peripheral.send(HostNumberOfCompletedPackets(completed: CompletedPackets(elements)))
        link.testbed.loop.run()
    }

    @Test("a host that limits its own buffers gets no more than their capacity, whatever it says of unknown links")
    func hostFlowControl() throws {
        let testbed = AirTestbed()
        let peripheral = testbed.host()
        peripheral.limitBuffers(3)
        let link = try TestLink(testbed, peripheral: peripheral)
        for value in 0..<10 { link.central.sendData([UInt8(value)], on: link.centralHandle) }
        testbed.loop.run()
        #expect(peripheral.data.map(\.octets) == [[0], [1], [2]])
        #expect(link.central.outstanding[link.centralHandle] == 7)
        peripheral.refused(SetControllerToHostFlowControl(mode: .off), .commandDisallowed)
        // A larger number counts as all packets.
        for (completed, received) in [(2, 5), (99, 8), (3, 10)] as [(UInt16, Int)] {
            self.complete(link, completed)
            #expect(peripheral.data.map(\.octets) == (0..<received).map { [UInt8($0)] })
            #expect(peripheral.take(CommandComplete.self) == nil, "no answer comes to that command")
        }
    }

    @Test("supports flow control only for ACL data (7.3.38)")
    func flowControlModes() {
        let host = AirTestbed().host()
        host.ok(HostBufferSize(aclDataPacketLength: 251, aclDataPacketCount: 1))
        for (mode, status) in [
            (0, .success), (1, .success), (2, .unsupportedFeature), (3, .unsupportedFeature), (4, .invalidParameters),
        ] as [(UInt8, HCIErrorCode)] {
            let command = SetControllerToHostFlowControl(mode: ControllerToHostFlowControl(rawValue: mode))
            #expect(host.run(command)?.status == status, "\(mode)")
        }
    }

    @Test("gives the host everything without flow control, and rejects its reports (7.3.40)")
    func flowControlOff() throws {
        let testbed = AirTestbed()
        let peripheral = testbed.host()
        peripheral.limitBuffers(2)
        peripheral.ok(SetControllerToHostFlowControl(mode: .off))
        let link = try TestLink(testbed, peripheral: peripheral)
        for value in 0..<5 { link.central.sendData([UInt8(value)], on: link.centralHandle) }
        testbed.loop.run()
        #expect(peripheral.data.count == 5)
        let completed = CompletedPackets.Element(handle: link.peripheralHandle, count: 1)
        peripheral.refused(HostNumberOfCompletedPackets(completed: CompletedPackets([completed])), .commandDisallowed)
    }

    @Test("A1: a link gets its packets although the host has completed no packets of all other links")
    func oneOfMany() throws {
        let testbed = AirTestbed()
        let peripheral = testbed.host()
        peripheral.limitBuffers(16)
        var links: [TestLink] = []
        for _ in 0..<8 {
            let link = try TestLink(testbed, peripheral: peripheral)
            for value in 0..<6 { link.central.sendData([UInt8(value)], on: link.centralHandle) }
            testbed.loop.run()
            links.append(link)
        }
        let last = try #require(links.last)
        for value in 0..<6 {
            #expect(peripheral.data.filter { $0.handle == last.peripheralHandle }.map(\.octets).last == [UInt8(value)])
            self.complete(last, 1)
        }
        #expect(peripheral.data.count < 16 + 6)
    }

    @Test("A1: a host that takes nothing holds back its peer, beyond the supervision timeout, and loses nothing")
    func notWritable() throws {
        for settings in [AirSettings.instant, .realistic] {
            let testbed = AirTestbed(settings)
            let link = try TestLink(testbed)
            link.peripheral.controller.isHostWritable = false
            for value in 0..<6 { link.central.sendData([UInt8(value)], on: link.centralHandle) }
            testbed.loop.advanceTime(by: .seconds(60))
            #expect(link.peripheral.data.isEmpty)
            #expect(link.central.outstanding[link.centralHandle] == 6)
            #expect(link.central.take(DisconnectionComplete.self) == nil)
            link.peripheral.controller.isHostWritable = true
            testbed.loop.advanceTime(by: .seconds(1))
            #expect(link.peripheral.data.map(\.octets) == (0..<6).map { [UInt8($0)] })
            #expect(link.central.outstanding[link.centralHandle] == 0)
        }
    }

    @Test("a host that takes nothing misses advertisements, and gets none of them later", arguments: [false, true])
    func missedAdvertisements(isExtended: Bool) throws {
        let testbed = AirTestbed()
        let (advertiser, scanner) = (testbed.host(), testbed.host())
        advertiser.advertise()
        if isExtended { scanner.extendedScan() } else { scanner.scan() }
        for isWritable in [true, false, true] {
            scanner.controller.isHostWritable = isWritable
            #expect(scanner.events.isEmpty)
            testbed.pass(.seconds(1))
            #expect(scanner.events.isEmpty == !isWritable)
            scanner.events = []
        }
    }

    @Test("requires host buffers for one packet of the controller's length (7.3.39)")
    func hostBuffers() {
        let length = UInt16(VirtualController.Configuration().model.aclDataPacketLength)
        for (length, count, status) in [
            (length, 1, HCIErrorCode.success), (length + 1, 1, .success), (length - 1, 1, .invalidParameters),
            (length, 0, .invalidParameters),
        ] as [(UInt16, UInt16, HCIErrorCode)] {
            let command = HostBufferSize(aclDataPacketLength: length, aclDataPacketCount: count)
            #expect(freshStatus(command) == status, "\(length) \(count)")
        }
        #expect(freshStatus(SetControllerToHostFlowControl(mode: .acl)) == .commandDisallowed)
    }
}
