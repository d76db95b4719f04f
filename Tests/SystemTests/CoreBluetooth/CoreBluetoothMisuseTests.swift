// Misuse that ends the program with Apple's words, and lines that depend on the process.

import BluetoothTypes
import NIOConcurrencyHelpers
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("2 Misuse of Core Bluetooth that ends the program")
struct CoreBluetoothMisuseTests {
    /// Misuse that ends the program.
    enum Misuse: String, Codable, CaseIterable {
        case text, octets, format, description, configuration, writableValue, notifiedValue, configurationWrite

        /// Apple's words.
        var line: String {
            switch self {
            case .text: "String not a UUID does not represent a valid UUID"
            case .octets: "Data <010203> does not represent a valid UUID"
            case .format: "Expecting NSData value type for Format descriptor"
            case .description: "Expecting NSString value type for User Description descriptor"
            case .configuration: "Only User Description and Format descriptors can be created, not 2902"
            case .writableValue, .notifiedValue: "Characteristics with cached values must be read-only"
            case .configurationWrite:
                """
                Client Characteristic Configuration descriptors must be configured using \
                setNotifyValue:forCharacteristic:
                """
            }
        }

        func commit() {
            switch self {
            case .text: _ = CBUUID(string: "not a UUID")
            case .octets: _ = CBUUID(data: Data([1, 2, 3]))
            case .format: _ = CBMutableDescriptor(type: CBUUID(string: "2904"), value: "text")
            case .description: _ = CBMutableDescriptor(type: CBUUID(string: "2901"), value: Data([1]))
            case .configuration: _ = CBMutableDescriptor(type: CBUUID(string: "2902"), value: nil)
            case .writableValue: Self.publish(.read, .writeable)
            case .notifiedValue: Self.publish([.read, .notify], .readable)
            case .configurationWrite: Self.writeConfiguration()
            }
        }

        /// Publishes a characteristic with a static value.
        private static func publish(_ properties: CBCharacteristicProperties, _ permissions: CBAttributePermissions) {
            let testbed = Testbed()
            let manager = testbed.adapter("Crystal").run { CBPeripheralManager() }
            testbed.run { manager.state == .poweredOn }
            let service = CBMutableService(type: CBUUID(string: "FFF0"), primary: true)
            let type = CBUUID(string: "FFF1")
            service.characteristics = [
                CBMutableCharacteristic(type: type, properties: properties, value: Data([1]), permissions: permissions)
            ]
            manager.add(service)
        }

        private static func writeConfiguration() {
            let testbed = Testbed()
            let manager = testbed.adapter("Curious").run { CBCentralManager() }
            testbed.run { manager.state == .poweredOn }
            let peer = PeerDescription(identifier: UUID(), address: DeviceAddress(1, kind: .public), name: nil)
            let descriptor = CBDescriptor(
                type: CBUUID(string: "2902"),
                value: nil,
                handle: nil,
                characteristic: nil,
                lock: ObjectLock()
            )
            manager.context.peripheral(for: peer).writeValue(Data([1, 0]), for: descriptor)
        }
    }

    @Test("2 3.1 9.3 9.4 ends the program with Apple's words", arguments: Misuse.allCases)
    func fatal(misuse: Misuse) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [misuse] in
            misuse.commit()
        }
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(output.contains("[CoreBluetooth] \(misuse.line)"))
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
