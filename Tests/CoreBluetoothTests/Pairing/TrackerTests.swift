// A device that hides, seen by a listener that hears everything and lets everybody connect, but has paired with nobody.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import CoreBluetoothTesting
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

/// Listens, advertises and takes every link, and keeps the octets of all that its controller reports.
private final class Tracker: HCIChannelReceiver {
    private let testbed: Testbed
    private let controller: VirtualController
    private(set) var events: [[UInt8]] = []
    /// The addresses that it has seen: of advertisers, of scanners, and of devices with a link.
    private(set) var advertisers: Set<DeviceAddress> = []
    private(set) var scanners: Set<DeviceAddress> = []
    private(set) var centrals: Set<DeviceAddress> = []

    init(_ testbed: Testbed, service: CBUUID) {
        self.testbed = testbed
        self.controller = testbed.air.makeController()
        self.controller.start(receiver: self)
        self.send(Reset())
        self.send(SetEventMask(mask: EventMask(rawValue: .max)))
        self.send(LESetEventMask(mask: LEEventMask(rawValue: .max)))
        self.send(
            LESetExtendedAdvertisingParameters(
                advertisingHandle: AdvertisingHandle(rawValue: 0),
                properties: [.legacy, .connectable, .scannable],
                minimumInterval: ExtendedAdvertisingInterval(rawValue: 160),
                maximumInterval: ExtendedAdvertisingInterval(rawValue: 160),
                notifiesScanRequests: true
            )
        )
        let octets: [UInt8] = [3, 3, UInt8(service.data[1]), UInt8(service.data[0])]
        self.send(
            LESetExtendedAdvertisingData(
                advertisingHandle: AdvertisingHandle(rawValue: 0),
                data: ByteBuffer(bytes: octets)
            )
        )
        self.advertise()
        self.send(
            LESetExtendedScanParameters(
                le1M: .init(
                    type: .active,
                    interval: ExtendedScanInterval(rawValue: 16),
                    window: ExtendedScanInterval(rawValue: 16)
                )
            )
        )
        self.send(LESetExtendedScanEnable(isEnabled: true))
        testbed.run(.milliseconds(10))
    }

    private func advertise() {
        self.send(
            LESetExtendedAdvertisingEnable(isEnabled: true, sets: [.init(handle: AdvertisingHandle(rawValue: 0))])
        )
    }

    private func send(_ command: some HCICommand) { self.controller.send(command.packet()) }

    func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
        guard packet.kind == .event, let event = try? HCIEvent(packet) else { return }
        self.events.append(Array(packet.bytes.readableBytesView))
        switch event {
        case .leExtendedAdvertisingReports(let reports):
            for report in reports { if let address = report.address { self.advertisers.insert(address) } }
        case .leScanRequestReceived(let request): self.scanners.insert(request.scanner)
        case .leEnhancedConnectionCompleteV2(let event):
            self.centrals.insert(event.connection.peer)
            self.advertise()
        default: break
        }
    }

    func channelDidFinishBatch(_ channel: any HCIChannel) {}
    func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {}

    /// The number of events that contain an address.
    func count(of address: DeviceAddress) -> Int {
        let octets = (0..<6).map { UInt8(truncatingIfNeeded: address.value >> (8 * UInt64($0))) }
        return self.events.filter { event in
            event.indices.dropLast(5).contains { Array(event[$0..<$0 + 6]) == octets }
        }.count
    }
}

@Suite("Privacy: a tracker")
struct TrackerTests {
    @Test(
        "tracker: sees no identity address of a device that hides, and that of one that does not",
        arguments: [true, false],
        [64, 0]
    )
    func tracker(isPrivate: Bool, list: Int) throws {
        let testbed = Testbed()
        let privacy = isPrivate ? BluetoothAdapter.Configuration.Privacy(rotationInterval: .seconds(60)) : nil
        let tracker = Tracker(testbed, service: CBUUID(string: "FFE0"))
        // Before a bond, while it is made, and after it; over several addresses.
        let pair = SecretPair(
            in: testbed,
            resolvingLists: (list, list),
            central: { $0.privacy = privacy },
            peripheral: { $0.privacy = privacy }
        )
        let app = pair.client!
        let peripheral = try pair.find()
        #expect(try pair.read(peripheral) == nil)
        for _ in 0..<4 {
            app.disconnect(peripheral, in: testbed)
            testbed.run(.seconds(80))
            app.manager.scanForPeripherals(withServices: nil)
            testbed.run(.seconds(2))
            app.manager.stopScan()
            app.connect(peripheral, in: testbed)
        }
        // The phone also connects to the tracker.
        app.disconnect(peripheral, in: testbed)
        app.found = []
        let unknown = try app.find(in: testbed, services: [CBUUID(string: "FFE0")])
        app.connect(unknown, in: testbed)
        #expect(!tracker.scanners.isEmpty && !tracker.advertisers.isEmpty && !tracker.centrals.isEmpty)
        if isPrivate {
            #expect(tracker.count(of: pair.central.identityAddress) == 0)
            #expect(tracker.count(of: pair.peripheral.identityAddress) == 0)
            let seen = tracker.scanners.union(tracker.advertisers).union(tracker.centrals)
            #expect(seen.allSatisfy { $0.randomKind == .resolvablePrivate })
            #expect(tracker.advertisers.count >= 5 && tracker.scanners.count >= 4)
        } else {
            #expect(tracker.count(of: pair.central.identityAddress) > 0)
            #expect(tracker.count(of: pair.peripheral.identityAddress) > 0)
        }
    }
}
