// Code that does not compile with Apple's module must not compile with ours either, and code that does must. The
// compiler judges; a line that it has to refuse says so at its end.

import Foundation
import Testing

#if os(Linux)
@Suite("Code that must not compile")
struct RefusedCodeTests {
    /// Declarations that say nothing but `import CoreBluetooth`.
    private static let program = """
        import CoreBluetooth

        // Objects that only the system makes.
        func make1() { _ = CBManager() } // refused
        func make2() { _ = CBPeer() } // refused
        func make3() { _ = CBPeripheral() } // refused
        func make4() { _ = CBCentral() } // refused
        func make5() { _ = CBAttribute() } // refused
        func make6() { _ = CBService() } // refused
        func make7() { _ = CBCharacteristic() } // refused
        func make8() { _ = CBDescriptor() } // refused
        func make9() { _ = CBMutableService() } // refused
        func make10() { _ = CBMutableCharacteristic() } // refused
        func make11() { _ = CBMutableDescriptor() } // refused
        func make12() { _ = CBATTRequest() } // refused
        final class OwnPeripheral: CBPeripheral {
            init(name: String) { super.init() } // refused
        }

        // Objects that programs make.
        func make13() { _ = CBUUID() }
        func make14() { _ = CBCentralManager() }
        func make15() { _ = CBPeripheralManager() }
        func make16() { _ = CBL2CAPChannel() }
        func make17() { _ = (CBError(.unknown), CBATTError(.success, userInfo: [:])) }
        class OwnManager: CBCentralManager {
            override var isScanning: Bool { true }
            override func stopScan() {}
            override var delegate: CBCentralManagerDelegate? { didSet {} }
        }
        class OwnCharacteristic: CBMutableCharacteristic {}
        class OwnUUID: CBUUID { override var uuidString: String { "" } }

        // Properties that programs only read.
        func set1(_ manager: CBManager) { manager.state = .poweredOn } // refused
        func set2(_ peripheral: CBPeripheral) { peripheral.name = "" } // refused
        func set3(_ characteristic: CBCharacteristic) { characteristic.value = Data() } // refused
        func set4(_ service: CBService) { service.characteristics = [] } // refused
        func set5(_ request: CBATTRequest) { request.offset = 1 } // refused
        func set6(_ characteristic: CBMutableCharacteristic) { characteristic.subscribedCentrals = [] } // refused
        func set7(_ channel: CBL2CAPChannel) { channel.psm = 1 } // refused
        func set8(_ request: CBATTRequest) { request.value = Data() }
        func set9(_ characteristic: CBMutableCharacteristic) { characteristic.value = Data() }
        func set10(_ service: CBMutableService) { service.includedServices = nil }

        // Weak optionals, and what is never nil.
        func get1(_ service: CBService) { let _: CBPeripheral = service.peripheral } // refused
        func get2(_ characteristic: CBCharacteristic) { let _: CBService = characteristic.service } // refused
        func get3(_ descriptor: CBDescriptor) { let _: CBCharacteristic = descriptor.characteristic } // refused
        func get4(_ channel: CBL2CAPChannel) { let _: InputStream = channel.inputStream }
        func get5(_ request: CBATTRequest) { let _: CBCentral = request.central }

        // Sendable as on Apple's platforms: values are, objects are not.
        func send<Value: Sendable>(_ value: Value.Type) {}
        func send1() { send(CBCentralManager.self) } // refused
        func send2() { send(CBPeripheralManager.self) } // refused
        func send3() { send(CBPeripheral.self) } // refused
        func send4() { send(CBCentral.self) } // refused
        func send5() { send(CBUUID.self) } // refused
        func send6() { send(CBService.self) } // refused
        func send7() { send(CBMutableCharacteristic.self) } // refused
        func send8() { send(CBATTRequest.self) } // refused
        func send9() { send(CBL2CAPChannel.self) } // refused
        func send10() {
            send(CBError.self)
            send(CBATTError.self)
            send(CBManagerState.self)
            send(CBCharacteristicProperties.self)
            send(CBConnectionEventMatchingOption.self)
        }

        // Conformances that Apple's types do not have.
        func compare() { _ = CBManagerState.poweredOff < .poweredOn } // refused
        func hash() { _ = Set<CBCharacteristicProperties>() } // refused
        func code() -> CBATTError.Code { 5 } // refused

        // Delegates.
        class NoState: NSObject, CBCentralManagerDelegate {} // refused
        class NoObject: CBPeripheralDelegate {} // refused
        class StateAlone: NSObject, CBPeripheralManagerDelegate {
            func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
        }
        class Silent: NSObject, CBPeripheralDelegate {}

        // Names that Apple removed.
        func removed1(_ peripheral: CBPeripheral) { _ = peripheral.isConnected } // refused
        func removed2() { _ = CBUUIDServiceChangedString } // refused
        func removed3(_ manager: CBCentralManager) { manager.retrieveConnectedPeripherals() } // refused

        // Foundation and Dispatch come with the module.
        func foundation() { _ = (Data(), UUID(), DispatchQueue.main, RunLoop.current, CFAbsoluteTimeGetCurrent()) }
        """

    @Test("refused lines are refused, and no others")
    func refused() throws {
        let errors = try Compiler.errors(in: Self.program)
        let lines = Self.program.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count { $0.hasSuffix("// refused") } >= 40)
        for (line, number) in zip(lines, 1...) {
            if line.hasSuffix("// refused") {
                #expect(errors[number] != nil, "line \(number) compiles: \(line)")
            } else {
                #expect(errors[number] == nil, "line \(number) does not compile: \(line)")
            }
        }
    }

    @Test("a class that is isolated to the main actor by default can be every delegate")
    func mainActorByDefault() throws {
        let program = """
            import CoreBluetooth
            class Model: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, CBPeripheralManagerDelegate {
                var manager: CBCentralManager!
                var names: [String] = []
                override init() {
                    super.init()
                    manager = CBCentralManager(delegate: self, queue: nil)
                }
                func centralManagerDidUpdateState(_ central: CBCentralManager) { names.append("state") }
                func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
                func peripheralDidUpdateName(_ peripheral: CBPeripheral) {
                    peripheral.delegate = self
                    Task { names.append("name") }
                }
            }
            let service = CBUUID(string: "180D")
            """
        // As new projects are set up.
        let arguments = [
            "-parse-as-library", "-default-isolation", "MainActor",
            "-enable-upcoming-feature", "InferIsolatedConformances",
            "-enable-upcoming-feature", "NonisolatedNonsendingByDefault",
        ]
        #expect(try Compiler.errors(in: program, arguments: arguments).isEmpty)
    }

    @Test("objects of the system are unavailable, and the compiler says where they come from")
    func unavailable() throws {
        let errors = try Compiler.errors(
            in: "import CoreBluetooth\n_ = CBManager()\n_ = CBPeer()\n_ = CBAttribute()\n_ = CBATTRequest()\n"
        )
        for line in 2...5 {
            let messages = errors[line] ?? []
            #expect(messages.contains { $0.contains("'init()' is unavailable") }, "\(messages)")
        }
    }
}
#endif
