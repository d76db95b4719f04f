import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("1.4 6 13.1 A central manager's session")
struct CentralSessionTests {
    /// A ball, and a device with two apps, the first of which has a policy and a restore identifier.
    private struct Setup {
        let testbed = Testbed()
        let policy = PolicyStub("asker")
        let adapter: BluetoothAdapter
        let ballAdapter: BluetoothAdapter
        let ball: PeripheralApp
        let central: CentralApp
        let other: CentralApp

        init() {
            let adapter = self.testbed.adapter("Curious")
            let ballAdapter = self.testbed.adapter("Crystal")
            let ball = PeripheralApp(on: ballAdapter)
            let central = self.policy.make(in: self.testbed) {
                CentralApp(on: adapter, options: [CBCentralManagerOptionRestoreIdentifierKey: "asker"])
            }
            let other = CentralApp(on: adapter)
            (self.adapter, self.ballAdapter) = (adapter, ballAdapter)
            (self.ball, self.central, self.other) = (ball, central, other)
            self.testbed.run { central.manager.state == .poweredOn && other.manager.state == .poweredOn }
            self.testbed.run { ball.manager.state == .poweredOn }
            ball.open()
            self.testbed.run(.milliseconds(1))
        }

        /// Connects the first app with the ball and subscribes.
        func subscribe() throws -> CBPeripheral {
            let peripheral = try self.central.connect(in: self.testbed)
            try self.subscribe(peripheral)
            return peripheral
        }

        private func subscribe(_ peripheral: CBPeripheral) throws {
            let answer = try peripheral.discover([IDs.service], in: self.testbed).characteristic(IDs.answer)
            peripheral.setNotifyValue(true, for: answer)
            try #require(self.testbed.run { answer.isNotifying })
        }

        /// The same for the other app, on the link of the first one.
        func subscribeOther(_ first: CBPeripheral) throws -> CBPeripheral {
            let peripheral = try self.other.retrieve(first)
            peripheral.delegate = self.other
            self.other.connect(peripheral, in: self.testbed)
            try self.subscribe(peripheral)
            return peripheral
        }

        func change(to authorization: CBManagerAuthorization) {
            self.policy.decide(authorization)
            self.testbed.run(.seconds(2))
        }

        /// How many links the device has, and how many peripherals of the app would be restored.
        func counts() -> [Int]? {
            self.adapter.readEngine(in: self.testbed) { core -> [Int] in
                let session = core.centralSessions.first { $0.isPreserved }
                return [core.host.links.count, session?.makeRecord().peripherals.count ?? -1]
            }
        }
    }

    @Test("1.4 ends the connections of an app that may no longer use Bluetooth, without a callback")
    func connected() throws {
        let setup = Setup()
        let peripheral = try setup.subscribe()
        #expect(setup.counts() == [1, 1])
        setup.change(to: .denied)
        #expect(setup.central.calls.last == "state 3" && peripheral.state == .disconnected)
        #expect(setup.counts() == [0, 0])
        #expect(setup.ball.answer.subscribedCentrals?.isEmpty == true)
        setup.change(to: .allowedAlways)
        #expect(setup.central.calls.last == "state 5" && peripheral.state == .disconnected)
        #expect(setup.counts() == [0, 0])
        #expect(!setup.central.calls.contains { $0.hasPrefix("disconnect") })
    }

    @Test("1.4 keeps the link for another app that is connected")
    func shared() throws {
        let setup = Setup()
        let first = try setup.subscribe()
        let second = try setup.subscribeOther(first)
        #expect(setup.counts() == [1, 1])
        setup.change(to: .denied)
        #expect(first.state == .disconnected && second.state == .connected)
        #expect(setup.counts() == [1, 0])
        #expect(setup.ball.manager.updateValue("Yes".octets, for: setup.ball.answer, onSubscribedCentrals: nil))
        #expect(setup.testbed.run { setup.other.values == ["Yes"] })
        #expect(setup.central.values.isEmpty && !setup.other.calls.contains { $0.hasPrefix("disconnect") })
    }
}
