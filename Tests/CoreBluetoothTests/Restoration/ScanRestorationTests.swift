// The options of a scan that comes back with the state of its manager: each by itself, both, and none.

import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("13.1 Restoration of a scan")
struct ScanRestorationTests {
    private func restore(duplicates: Bool, solicited: Bool, services: [CBUUID]) throws {
        var setup = RestorationSetup(.central)
        setup.ball.manager.stopAdvertising()
        var options: [String: Any] = [CBCentralManagerScanOptionAllowDuplicatesKey: duplicates]
        if solicited { options[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] = [IDs.other] }
        setup.central.manager.scanForPeripherals(withServices: services, options: options)
        setup.testbed.run(.milliseconds(10))
        setup.restartCentral()
        #expect(setup.testbed.run { setup.central.calls == ["restore 0", "state 5"] })
        let dictionary = try #require(setup.central.restored.first)
        let found = dictionary[CBCentralManagerRestoredStateScanServicesKey] as? [CBUUID]
        #expect(found == (services.isEmpty ? nil : services))
        let kept = dictionary[CBCentralManagerRestoredStateScanOptionsKey] as? [String: Any]
        #expect((kept != nil) == (duplicates || solicited))
        let keptDuplicates = kept?[CBCentralManagerScanOptionAllowDuplicatesKey] as? NSNumber
        #expect(keptDuplicates?.boolValue == (duplicates ? true : nil))
        let keptSolicited = kept?[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] as? [CBUUID]
        #expect(keptSolicited == (solicited ? [IDs.other] : nil))
        #expect(setup.central.manager.isScanning)
    }

    @Test(
        "13.1 a scan comes back with the services and the options that it was started with, and no others",
        arguments: [false, true],
        [false, true]
    )
    func options(duplicates: Bool, solicited: Bool) throws {
        for services in [[], [IDs.service]] {
            try self.restore(duplicates: duplicates, solicited: solicited, services: services)
        }
    }
}
