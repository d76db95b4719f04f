// A ball and a central on devices that can be restarted: the beginning of the tests of restoration.

import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

/// A ball and a central, each on a device that can be restarted.
struct RestorationSetup {
    /// The role whose manager has a restore identifier, and whose process is killed.
    enum Role { case central, peripheral }

    let testbed = Testbed()
    let curious: RestartableDevice
    let crystal: RestartableDevice
    private let restored: Role
    var ball: PeripheralApp
    var central: CentralApp

    /// Both are powered on; the ball is open if the central is restored.
    init(_ restored: Role, permitsPairing: Bool = true) {
        self.restored = restored
        self.curious = RestartableDevice("Curious", in: self.testbed) { $0.permitsPairing = permitsPairing }
        self.crystal = RestartableDevice("Crystal", in: self.testbed)
        self.ball = PeripheralApp(on: self.crystal.adapter, restoring: restored == .peripheral ? "ball" : nil)
        self.central = CentralApp(on: self.curious.adapter, restoring: restored == .central ? "asker" : nil)
        let (ball, central) = (self.ball, self.central)
        self.testbed.run { ball.manager.state == .poweredOn && central.manager.state == .poweredOn }
        guard restored == .central else { return }
        ball.open()
        self.testbed.run(.milliseconds(1))
    }

    /// Kills the central's process and starts the next one, whose app was told of nothing yet.
    mutating func restartCentral() {
        self.curious.restart()
        self.central = CentralApp(on: self.curious.adapter, restoring: "asker")
    }

    /// Kills the central's process and starts the next one; the calls until it is powered on.
    mutating func callsOfNextCentral() -> [String] {
        self.restartCentral()
        let central = self.central
        self.testbed.run { central.manager.state == .poweredOn }
        return central.calls
    }

    /// Kills the ball's process and starts the next one, which publishes nothing by itself.
    mutating func restartBall() {
        self.crystal.restart()
        self.ball = self.testbed.ball(on: self.crystal.adapter, restoring: self.restored == .peripheral ? "ball" : nil)
    }

    /// Finds the ball and connects.
    func connect() throws -> CBPeripheral { try self.central.connect(in: self.testbed) }

    /// Ends the connection, and connects anew.
    func reconnect(_ peripheral: CBPeripheral) {
        self.central.disconnect(peripheral, in: self.testbed)
        self.central.connect(peripheral, in: self.testbed)
    }

    /// Connects, discovers everything and subscribes.
    func subscribe() throws -> CBPeripheral {
        let peripheral = try self.connect()
        let answer = try peripheral.discover(nil, in: self.testbed).characteristic(IDs.answer)
        peripheral.discoverDescriptors(for: answer)
        try peripheral.subscribe(to: answer, in: self.testbed)
        return peripheral
    }

    /// The answer of the restored peripheral.
    func answer() throws -> CBCharacteristic {
        try #require(self.central.found.first?.services?.first).characteristic(IDs.answer)
    }

    /// Updates the ball's answer.
    func update(_ text: String) {
        self.ball.manager.updateValue(text.octets, for: self.ball.answer, onSubscribedCentrals: nil)
    }

    /// Finds the ball and discovers everything.
    func visit() throws -> CBPeripheral {
        self.central.found = []
        let peripheral = try self.connect()
        peripheral.discoverServices(nil)
        try #require(self.testbed.run { peripheral.services != nil })
        for service in peripheral.services ?? [] {
            peripheral.discoverIncludedServices(nil, for: service)
            peripheral.discoverCharacteristics(nil, for: service)
        }
        try #require(self.testbed.run { peripheral.services?.allSatisfy { $0.characteristics != nil } == true })
        for characteristic in (peripheral.services ?? []).flatMap({ $0.characteristics ?? [] }) {
            peripheral.discoverDescriptors(for: characteristic)
        }
        self.testbed.run(.milliseconds(100))
        return peripheral
    }
}

extension PeripheralApp {
    /// The services that were restored.
    var restoredServices: [CBMutableService] {
        self.restored.first?[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService] ?? []
    }

    /// The app's object for a characteristic, among those restored.
    func restored(_ uuid: CBUUID) throws -> CBMutableCharacteristic {
        let all = self.restoredServices.flatMap { $0.characteristics ?? [] }
        return try #require(all.first { $0.uuid == uuid } as? CBMutableCharacteristic)
    }
}
