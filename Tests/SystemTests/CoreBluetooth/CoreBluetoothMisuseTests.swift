// Misuse that ends the program with Apple's words, and lines that depend on the process.

import BluetoothTypes
import Foundation
import NIOConcurrencyHelpers
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("2 Misuse of Core Bluetooth that ends the program")
struct CoreBluetoothMisuseTests {
    private func said(_ result: ExitTest.Result?, _ text: String) -> Bool {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).contains("[CoreBluetooth] \(text)")
    }

    @Test("2 3.1 rejects text and octets that are not a UUID")
    func uuids() async {
        let text = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = CBUUID(string: "not a UUID")
        }
        #expect(self.said(text, "String not a UUID does not represent a valid UUID"))
        let octets = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = CBUUID(data: Data([1, 2, 3]))
        }
        #expect(self.said(octets, "Data <010203> does not represent a valid UUID"))
    }

    @Test("9.4 2 rejects descriptors of the system, unknown ones and values of another type")
    func descriptors() async {
        let format = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = CBMutableDescriptor(type: CBUUID(string: "2904"), value: "text")
        }
        #expect(self.said(format, "Expecting NSData value type for Format descriptor"))
        let description = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = CBMutableDescriptor(type: CBUUID(string: "2901"), value: Data([1]))
        }
        #expect(self.said(description, "Expecting NSString value type for User Description descriptor"))
        let configuration = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = CBMutableDescriptor(type: CBUUID(string: "2902"), value: nil)
        }
        #expect(self.said(configuration, "Only User Description and Format descriptors can be created, not 2902"))
    }

    /// Publishes a characteristic with a static value.
    private static func publish(_ properties: CBCharacteristicProperties, _ permissions: CBAttributePermissions) {
        let testbed = Testbed()
        let manager = testbed.adapter("Crystal").run { CBPeripheralManager() }
        testbed.run { manager.state == .poweredOn }
        let service = CBMutableService(type: CBUUID(string: "FFF0"), primary: true)
        service.characteristics = [
            CBMutableCharacteristic(
                type: CBUUID(string: "FFF1"),
                properties: properties,
                value: Data([1]),
                permissions: permissions
            )
        ]
        manager.add(service)
    }

    @Test("2 9.3 rejects a static value that can be written or notified")
    func staticValues() async {
        let text = "Characteristics with cached values must be read-only"
        let writable = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            CoreBluetoothMisuseTests.publish(.read, .writeable)
        }
        #expect(self.said(writable, text))
        let notified = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            CoreBluetoothMisuseTests.publish([.read, .notify], .readable)
        }
        #expect(self.said(notified, text))
    }

    @Test("2 rejects a write to a Client Characteristic Configuration")
    func configuration() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let testbed = Testbed()
            let manager = testbed.adapter("Curious").run { CBCentralManager() }
            testbed.run { manager.state == .poweredOn }
            let peer = PeerDescription(identifier: UUID(), address: DeviceAddress(1, kind: .public), name: nil)
            let peripheral = manager.context.peripheral(for: peer)
            let descriptor = CBDescriptor(
                type: CBUUID(string: "2902"),
                value: nil,
                handle: nil,
                characteristic: nil,
                lock: ObjectLock()
            )
            peripheral.writeValue(Data([1, 0]), for: descriptor)
        }
        let text = """
            Client Characteristic Configuration descriptors must be configured using \
            setNotifyValue:forCharacteristic:
            """
        #expect(self.said(result, text))
    }

    /// The lines that are logged during `body`.
    private static func lines(_ body: () -> Void) -> [String] {
        let lines = NIOLockedValueBox<[String]>([])
        LogLines.$listener.withValue({ line in lines.withLockedValue { $0.append(line) } }, operation: body)
        return lines.withLockedValue { $0 }
    }

    @Test("logs a notice once, and at most a thousand notices")
    func notices() async {
        await #expect(processExitsWith: .success) {
            let lines = CoreBluetoothMisuseTests.lines {
                for number in 0...1_000 { for _ in 0..<2 { Notice.once("notice \(number)") } }
            }
            precondition(lines == (0..<1_000).map { "[CoreBluetooth] notice \($0)" })
        }
    }

    @Test("2 warns of AllowDuplicates on the main queue only")
    func mainQueueWarning() {
        let adapter = PrivateAir().makeAdapter()
        func manager(_ queue: DispatchQueue?) -> CBCentralManager {
            let options = [BluetoothAdapter.optionKey: adapter]
            let manager = CBCentralManager(delegate: nil, queue: queue, options: options)
            manager.setState(.poweredOn)
            return manager
        }
        let (main, other) = (manager(nil), manager(DispatchQueue(label: "reports")))
        func scan(_ manager: CBCentralManager, _ allowsDuplicates: Bool) -> [String] {
            let options = [CBCentralManagerScanOptionAllowDuplicatesKey: allowsDuplicates]
            return Self.lines { manager.scanForPeripherals(withServices: nil, options: options) }
        }
        #expect(scan(main, false) == [] && scan(other, true) == [])
        let text = "is disabling duplicate filtering, but is using the default queue (main thread) for delegate events"
        #expect(scan(main, true) == ["[CoreBluetooth] WARNING: \(main) \(text)"])
    }
}
