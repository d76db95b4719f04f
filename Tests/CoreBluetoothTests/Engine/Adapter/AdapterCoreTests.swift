import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("4.3 Advertising reports that scans need")
struct AdapterCoreTests {
    private static var duplicates: [String: Any] { [CBCentralManagerScanOptionAllowDuplicatesKey: true] }

    private func need(_ talk: Conversation) -> String? {
        talk.centralAdapter.readEngine(in: talk.testbed) { core -> String in
            switch core.host.reportNeed {
            case .all: return "all"
            case .changes(let number): return "changes \(number)"
            }
        }
    }

    private static func report(_ name: String) -> AdvertisingReport {
        var data = AdvertisingData()
        data.appendLocalName(name)
        return AdvertisingReport(
            address: DeviceAddress(0xC000_0000_0077, kind: .random),
            isConnectable: true,
            isScannable: false,
            isScanResponse: false,
            data: data.bytes,
            rssi: -50
        )
    }

    private func receive(_ name: String, _ talk: Conversation) {
        talk.centralAdapter.changeEngine(in: talk.testbed) { $0.received(Self.report(name)) }
        talk.testbed.run(.milliseconds(1))
    }

    @Test("needs only changes, all again after each start and stop, unless duplicates are allowed")
    func oneManager() {
        let talk = Conversation()
        let manager: CBCentralManager = talk.central.manager
        let steps: [(step: () -> Void, need: String)] = [
            ({}, "all"), ({ manager.scanForPeripherals(withServices: [IDs.service]) }, "changes 1"),
            ({ talk.testbed.run(.seconds(2)) }, "changes 1"),
            ({ manager.scanForPeripherals(withServices: [IDs.service]) }, "changes 2"),
            ({ manager.scanForPeripherals(withServices: nil, options: Self.duplicates) }, "all"),
            ({ talk.testbed.run(.seconds(1)) }, "all"),
            ({ manager.scanForPeripherals(withServices: nil) }, "changes 4"), ({ manager.stopScan() }, "changes 5"),
            ({ manager.stopScan() }, "changes 5"),
        ]
        for (index, step) in steps.enumerated() {
            step.step()
            #expect(self.need(talk) == step.need, "\(index)")
        }
    }

    @Test("A2 needs every report while a manager takes nothing")
    func fullWindow() {
        let talk = Conversation()
        talk.central.manager.scanForPeripherals(withServices: nil)
        #expect(self.need(talk) == "changes 1")
        func change(_ body: @escaping @Sendable (ReceiveWindow) -> Void) {
            talk.centralAdapter.changeEngine(in: talk.testbed) { core in
                if let session = core.centralSessions.first { body(session.discoveryWindow) }
            }
        }
        change { _ = $0.add(ReceiveWindow.size) }
        self.receive("Full", talk)
        #expect(self.need(talk) == "all")
        #expect(talk.central.count("discover Full") == 0)
        change { _ = $0.remove(ReceiveWindow.size) }
        self.receive("Open", talk)
        #expect(self.need(talk) == "changes 3")
        #expect(talk.central.count("discover Open") == 1)
    }

    @Test("4.9 ignores reports while no manager scans")
    func withoutScan() {
        let talk = Conversation()
        func name() -> String? {
            talk.centralAdapter.readEngine(in: talk.testbed) { core -> String in
                core.identities.record(for: Self.report("").address).name ?? "-"
            }
        }
        self.receive("Early", talk)
        #expect(name() == "-")
        talk.central.manager.scanForPeripherals(withServices: nil)
        self.receive("Present", talk)
        #expect(name() == "Present")
        talk.central.manager.stopScan()
        self.receive("Late", talk)
        #expect(name() == "Present")
    }
}
