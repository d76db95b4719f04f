// Which advertising reports an adapter's scans need: every one while duplicates are reported or a manager takes
// nothing, else only what has changed, anew with each change of the scans. And what is received while nobody scans.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("4.3 Advertising reports that scans need")
struct ScanReportNeedTests {
    private static var duplicates: [String: Any] { [CBCentralManagerScanOptionAllowDuplicatesKey: true] }

    /// Which reports the host asks its controller for.
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

    /// Hands a report to the central's adapter, as its host does.
    private func receive(_ name: String, _ talk: Conversation) {
        _ = talk.centralAdapter.readEngine(in: talk.testbed) { core -> Bool in
            core.received(Self.report(name))
            core.flush()
            return true
        }
        talk.testbed.run(.milliseconds(1))
    }

    @Test("one scan needs changes alone, anew with each start and stop; with duplicates every report")
    func oneManager() {
        let talk = Conversation()
        let manager: CBCentralManager = talk.central.manager
        #expect(self.need(talk) == "all", "nobody has scanned yet")
        manager.scanForPeripherals(withServices: [IDs.service])
        #expect(self.need(talk) == "changes 1")
        talk.testbed.run(.seconds(2))
        #expect(self.need(talk) == "changes 1")
        manager.scanForPeripherals(withServices: [IDs.service])
        #expect(self.need(talk) == "changes 2")
        manager.scanForPeripherals(withServices: nil, options: Self.duplicates)
        #expect(self.need(talk) == "all")
        talk.testbed.run(.seconds(1))
        #expect(self.need(talk) == "all")
        manager.scanForPeripherals(withServices: nil)
        #expect(self.need(talk) == "changes 4")
        manager.stopScan()
        #expect(self.need(talk) == "changes 5")
        manager.stopScan()
        #expect(self.need(talk) == "changes 5")
    }

    @Test("of several scans one with duplicates is enough for every report; a manager that does not scan needs none")
    func severalManagers() {
        let talk = Conversation()
        let other = CentralApp(on: talk.centralAdapter)
        talk.testbed.run { other.manager.state == .poweredOn }
        other.manager.scanForPeripherals(withServices: [IDs.other])
        #expect(self.need(talk) == "changes 1")
        talk.central.manager.scanForPeripherals(withServices: [IDs.other], options: Self.duplicates)
        #expect(self.need(talk) == "all")
        other.manager.stopScan()
        #expect(self.need(talk) == "all")
        other.manager.scanForPeripherals(withServices: [IDs.other])
        #expect(self.need(talk) == "all")
        talk.central.manager.stopScan()
        #expect(self.need(talk) == "changes 5")
        other.manager.stopScan()
        #expect(self.need(talk) == "changes 6")
    }

    @Test("A2: a manager that takes nothing needs every report, so that it goes on where it stopped")
    func fullWindow() {
        let talk = Conversation()
        talk.central.manager.scanForPeripherals(withServices: nil)
        #expect(self.need(talk) == "changes 1")
        func change(_ body: @escaping @Sendable (ReceiveWindow) -> Void) {
            let isDone = talk.centralAdapter.readEngine(in: talk.testbed) { core -> Bool in
                guard let session = core.centralSessions.first else { return false }
                body(session.discoveryWindow)
                return true
            }
            #expect(isDone == true)
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

    @Test("4.9 what is received while nobody scans is not looked at")
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
