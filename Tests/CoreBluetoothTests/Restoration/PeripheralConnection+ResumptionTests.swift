// The attributes of a restored app on its next link: without a Database Hash they are compared one by one.

import BluetoothHCI
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("13.1 Attributes of a restored app on the next link")
struct PeripheralConnectionResumptionTests {
    /// A peripheral without a Database Hash, with the service 180D at the handles 1 to 4, and an app that knows it.
    private struct Setup {
        let testbed = Testbed()
        let remote: ForeignPeripheral
        let device: RestartableDevice
        /// The app of the first process.
        private let first: CentralApp
        private let requestCount: Int

        init(discoversCharacteristics: Bool = true) throws {
            self.remote = ForeignPeripheral(
                in: self.testbed,
                ForeignPeripheral.heart(descriptors: [(type: 0x2902, value: [0, 0])])
            )
            self.device = RestartableDevice("Curious", in: self.testbed)
            self.first = self.testbed.central(on: self.device.adapter, restoring: "asker")
            let peripheral = try self.first.connect(in: self.testbed, services: nil)
            if discoversCharacteristics {
                let found = try peripheral.discover(nil, in: self.testbed)
                let characteristic = try found.characteristic(CBUUID(string: "2A37"))
                try peripheral.subscribe(to: characteristic, in: self.testbed)
            } else {
                peripheral.discoverServices(nil)
                try #require(self.testbed.run { peripheral.services?.count == 1 })
            }
            self.testbed.run(.milliseconds(100))
            self.requestCount = self.remote.requests.count
        }

        /// Starts the next process, whose app connects again.
        func restart() throws -> CentralApp {
            self.device.restart()
            let central = CentralApp(on: self.device.adapter, restoring: "asker")
            try #require(self.testbed.run { central.calls.contains("connect 2") })
            withExtendedLifetime(self.first) {}
            return central
        }

        /// The requests to the peripheral since the first process has ended.
        var requests: [[UInt8]] { Array(self.remote.requests.dropFirst(self.requestCount)) }

        /// Whether it was asked for services by their UUIDs, for the characteristics of a service, and to notify.
        var comparisons: [Bool] {
            [
                self.requests.contains { $0[0] == 0x06 }, self.requests.contains(where: isCharacteristicSearch),
                self.requests.contains { $0[0] == 0x12 && $0[1] == 0x04 },
            ]
        }
    }

    @Test("13.1 unchanged attributes are kept, beside a further service, too, and subscribed to again")
    func unchanged() throws {
        // Characteristics that the app had not discovered are not looked for.
        for (discovers, further) in [(true, nil), (true, 0x09), (true, 0x0D), (false, nil)] as [(Bool, UInt8?)] {
            let setup = try Setup(discoversCharacteristics: discovers)
            if let further {
                setup.remote.attributes.append(.init(handle: 0x20, type: 0x2800, value: [further, 0x18], end: 0x21))
            }
            let restored = try setup.restart()
            setup.testbed.run(.seconds(2))
            #expect(setup.comparisons == [true, discovers, discovers])
            let peripheral = try #require(restored.found.first)
            #expect(peripheral.services?.map(\.uuid.uuidString) == ["180D"])
            #expect(peripheral.services?.first?.characteristics?.map(\.isNotifying) == (discovers ? [true] : nil))
            #expect(!restored.calls.contains { $0.hasPrefix("modified") || $0.hasPrefix("notifying") })
        }
    }

    @Test(
        "13.1 a service or a characteristic that has changed, or is gone, makes all attributes invalid, once",
        arguments: ["service gone", "other handles", "characteristic gone", "other properties"]
    )
    func changed(change: String) throws {
        let setup = try Setup()
        switch change {
        case "service gone": setup.remote.attributes = []
        case "other handles": setup.remote.attributes[0].end = 5
        case "characteristic gone": setup.remote.attributes.removeSubrange(1...3)
        default: setup.remote.attributes[1].value[0] = 0x1A
        }
        let restored = try setup.restart()
        setup.testbed.run(.seconds(2))
        #expect(restored.calls.filter { $0.hasPrefix("modified") } == ["modified 180D"])
        // Nothing old is used, and of the subscription nothing is said beside that.
        #expect(setup.comparisons[0] && !setup.comparisons[2])
        #expect(!restored.calls.contains { $0.hasPrefix("notifying") })
        #expect(restored.found.first?.services?.isEmpty == true)
    }

    @Test(
        "13.1 a link that is lost while attributes are looked for leaves them as they are",
        arguments: [false, true]
    )
    func lost(inCharacteristics: Bool) throws {
        let setup = try Setup()
        // Searches for attributes stay unanswered.
        setup.remote.onRequest = { request in
            let isUnanswered = inCharacteristics ? isCharacteristicSearch(request) : request[0] == 0x06
            return isUnanswered ? [] : nil
        }
        let restored = try setup.restart()
        try #require(setup.testbed.run { setup.comparisons[inCharacteristics ? 1 : 0] })
        let peripheral = try #require(restored.found.first)
        #expect(peripheral.services?.map(\.uuid.uuidString) == ["180D"])
        // The app is not told of the loss at once, and what it would be restored with is as it was.
        setup.device.adapter.holdCallbacks(for: .seconds(2))
        setup.remote.disconnect(.remoteUserTerminated)
        setup.testbed.run(.seconds(1))
        #expect(peripheral.state == .connected)
        let counts = setup.device.adapter.readEngine(in: setup.testbed) { core -> [Int] in
            let peripherals = core.centralSessions.first?.makeRecord().peripherals ?? []
            return peripherals.map { $0.attributes?.services.count ?? 0 }
        }
        #expect(counts == [1])
        try #require(setup.testbed.run { peripheral.state == .disconnected })
        #expect(restored.calls.last == "disconnect 0 CBErrorDomain 7")
        #expect(!restored.calls.contains { $0.hasPrefix("modified") || $0.hasPrefix("notifying") })
    }

    @Test(
        "13.1 attributes that a peripheral refuses to show again are lost to the restored app",
        arguments: [nil, 0x06, 0x08] as [UInt8?]
    )
    func refused(opcode: UInt8?) throws {
        let setup = try Setup()
        setup.remote.onRequest = { $0[0] == opcode ? [0x01, $0[0], 0x01, 0x00, 0x0E] : nil }
        let restored = try setup.restart()
        setup.testbed.run(.seconds(5))
        #expect(setup.comparisons[0])
        #expect(restored.calls.filter { $0.hasPrefix("modified") } == (opcode == nil ? [] : ["modified 180D"]))
    }

    // MARK: Included services

    /// The service 180D at the handles 1 to 4, which includes the primary service 180F.
    private static let inclusion: [ForeignPeripheral.Attribute] = [
        .init(handle: 1, type: 0x2800, value: [0x0D, 0x18], end: 4),
        .init(handle: 2, type: 0x2802, value: [0x20, 0x00, 0x21, 0x00, 0x0F, 0x18]),
        .init(handle: 3, type: 0x2803, value: [0x02, 0x04, 0x00, 0x37, 0x2A]),
        .init(handle: 4, type: 0x2A37, value: [1]),
        .init(handle: 0x20, type: 0x2800, value: [0x0F, 0x18], end: 0x21),
    ]

    @Test("13.1 a service that the app knows only as an included one is not looked for", arguments: [false, true])
    func inclusion(isListed: Bool) throws {
        let testbed = Testbed()
        let remote = ForeignPeripheral(in: testbed, Self.inclusion)
        let device = RestartableDevice("Curious", in: testbed)
        let first = testbed.central(on: device.adapter, restoring: "asker")
        let peripheral = try first.connect(in: testbed, services: nil)
        peripheral.discoverServices(isListed ? nil : [CBUUID(string: "180D")])
        try #require(testbed.run { peripheral.services?.isEmpty == false })
        let service = try #require(peripheral.services?.first { $0.uuid == CBUUID(string: "180D") })
        peripheral.discoverIncludedServices(nil, for: service)
        try #require(testbed.run { service.includedServices?.count == 1 })
        testbed.run(.milliseconds(100))
        let count = remote.requests.count
        device.restart()
        let central = CentralApp(on: device.adapter, restoring: "asker")
        try #require(testbed.run { central.calls.contains("connect 2") })
        testbed.run(.seconds(2))
        // By Find By Type Value requests, which end in a UUID.
        let sought = remote.requests.dropFirst(count).filter { $0[0] == 0x06 }.map { Array($0.suffix(2)) }
        #expect(sought.contains([0x0D, 0x18]))
        #expect(sought.contains([0x0F, 0x18]) == isListed)
        let restored = try #require(central.found.first)
        let same = try #require(restored.services?.first { $0.uuid == CBUUID(string: "180D") })
        #expect(same.includedServices?.map(\.uuid) == [CBUUID(string: "180F")])
        #expect(restored.services?.count == (isListed ? 2 : 1))
        #expect(!central.calls.contains { $0.hasPrefix("modified") })
        withExtendedLifetime(first) {}
    }

    // MARK: Links of the peer

    /// Restores a central that waits for the ball, whose device then connects to the central's.
    private func restore(changing change: (PeripheralApp) -> Void) throws -> RestorationSetup {
        var setup = RestorationSetup(.central)
        _ = try setup.subscribe()
        setup.curious.adapter.kill()
        setup.testbed.run(.seconds(10))
        setup.ball.manager.stopAdvertising()
        change(setup.ball)
        setup.testbed.run(.milliseconds(100))
        _ = setup.callsOfNextCentral()
        let central = setup.central
        let restored = try #require(central.found.first)
        #expect(restored.state == .connecting)
        let beacon = setup.testbed.ball(on: setup.curious.adapter)
        beacon.advertise(name: "Curious", services: [IDs.other])
        let visitor = setup.testbed.central(on: setup.crystal.adapter)
        _ = try visitor.connect(in: setup.testbed, services: [IDs.other])
        try #require(setup.testbed.run { central.count("connect 2") == 1 })
        setup.testbed.run(.seconds(2))
        setup.update("Yes")
        setup.testbed.run(.milliseconds(500))
        withExtendedLifetime((beacon, visitor)) {}
        return setup
    }

    @Test("13.1 on a link of the peer the hash shows that the database is the same, and the subscription is made again")
    func unchangedOnIncomingLink() throws {
        let setup = try self.restore { _ in }
        #expect(!setup.central.calls.contains { $0.hasPrefix("modified") || $0.hasPrefix("notifying") })
        #expect(setup.central.found.first?.services?.map(\.uuid) == [IDs.service])
        #expect(try setup.answer().isNotifying)
        #expect(setup.central.values == ["Yes"])
    }

    @Test("13.1 on a link of the peer another database makes the attributes invalid")
    func changedOnIncomingLink() throws {
        let setup = try self.restore { $0.manager.add(CBMutableService(type: IDs.other, primary: true)) }
        #expect(setup.central.count("modified \(IDs.service.uuidString)") == 1)
        #expect(setup.central.found.first?.services == [] && setup.central.values.isEmpty)
    }
}

/// Whether a request looks for the declarations of characteristics.
private func isCharacteristicSearch(_ request: [UInt8]) -> Bool {
    request[0] == 0x08 && Array(request.suffix(2)) == [0x03, 0x28]
}
