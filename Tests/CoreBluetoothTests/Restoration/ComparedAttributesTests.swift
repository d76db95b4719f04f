// Peripherals without a Database Hash, whose attributes are compared with what a restored app had discovered: what is
// looked for, what counts as changed, and what the loss of the link in between says of them, namely nothing.

import BluetoothHCI
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("13.1 Attributes that are compared")
struct ComparedAttributesTests {
    /// A peripheral with the service 180D at the handles 1 to 4, and an app that has discovered it, whose process ends.
    private struct Setup {
        private static let options = [CBCentralManagerOptionRestoreIdentifierKey: "asker"]

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
            let central = CentralApp(on: self.device.adapter, options: Self.options)
            self.first = central
            self.testbed.run { central.manager.state == .poweredOn }
            let peripheral = try central.connect(in: self.testbed, services: nil)
            if discoversCharacteristics {
                let heart = try peripheral.discover(nil, in: self.testbed).characteristics?.first
                let characteristic = try #require(heart)
                peripheral.setNotifyValue(true, for: characteristic)
                try #require(self.testbed.run { characteristic.isNotifying })
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
            let central = CentralApp(on: self.device.adapter, options: Self.options)
            try #require(self.testbed.run { central.calls.contains("connect 2") })
            withExtendedLifetime(self.first) {}
            return central
        }

        /// What the peripheral was asked since the first process has ended.
        var requests: [[UInt8]] { Array(self.remote.requests.dropFirst(self.requestCount)) }

        /// Whether it was asked for services by their UUIDs, for the characteristics of a service, and to notify.
        var comparisons: [Bool] {
            [
                self.requests.contains { $0[0] == 0x06 }, self.requests.contains(where: isCharacteristicSearch),
                self.requests.contains { $0[0] == 0x12 && $0[1] == 0x04 },
            ]
        }
    }

    @Test("13.1 what is as it was is kept, and subscribed to again")
    func unchanged() throws {
        let setup = try Setup()
        let restored = try setup.restart()
        setup.testbed.run(.seconds(2))
        #expect(setup.comparisons == [true, true, true])
        let peripheral = try #require(restored.found.first)
        #expect(peripheral.services?.map(\.uuid.uuidString) == ["180D"])
        #expect(peripheral.services?.first?.characteristics?.map(\.isNotifying) == [true])
        #expect(!restored.calls.contains { $0.hasPrefix("modified") || $0.hasPrefix("notifying") })
    }

    @Test("13.1 characteristics that the app had not discovered are not looked for")
    func onlyServices() throws {
        let setup = try Setup(discoversCharacteristics: false)
        let restored = try setup.restart()
        setup.testbed.run(.seconds(2))
        #expect(setup.comparisons == [true, false, false])
        #expect(restored.found.first?.services?.map(\.uuid.uuidString) == ["180D"])
        #expect(!restored.calls.contains { $0.hasPrefix("modified") })
    }

    @Test(
        "13.1 a further service changes nothing, also one with the same UUID",
        arguments: [0x09, 0x0D] as [UInt8]
    )
    func furtherService(uuid: UInt8) throws {
        let setup = try Setup()
        setup.remote.attributes.append(.init(handle: 0x20, type: 0x2800, value: [uuid, 0x18], end: 0x21))
        let restored = try setup.restart()
        setup.testbed.run(.seconds(2))
        #expect(setup.comparisons == [true, true, true])
        #expect(!restored.calls.contains { $0.hasPrefix("modified") })
    }

    @Test(
        "13.1 a service or a characteristic that is another one now, or none, makes all invalid, once",
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
        // What looks for attributes stays without an answer.
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
}

/// Whether a request looks for the declarations of characteristics.
private func isCharacteristicSearch(_ request: [UInt8]) -> Bool {
    request[0] == 0x08 && Array(request.suffix(2)) == [0x03, 0x28]
}
