// What is on the air, as a central hears it: the text of what is advertised now.

import Testbed

@testable import CoreBluetooth

extension CentralApp {
    /// Scans for everything, each advertisement of it.
    func hearEverything() {
        let options: [String: Any] = [CBCentralManagerScanOptionAllowDuplicatesKey: true]
        self.manager.scanForPeripherals(withServices: nil, options: options)
    }

    /// The name and the services of the last advertisement that was heard within two seconds.
    func heard(in testbed: Testbed) -> String {
        self.advertisements = []
        testbed.run(.seconds(2))
        guard let last = self.advertisements.last else { return "nothing" }
        let services = last[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
        let name = last[CBAdvertisementDataLocalNameKey] as? String ?? "-"
        return "\(name) \(services.map { String($0.uuidString.prefix(4)) }.sorted())"
    }
}
