// Lesson 1: the central manager. It finds Magic 8-Balls and connects to them.

import CoreBluetooth
import Foundation

// MARK: - What both sides know

/// The UUIDs of a Magic 8-Ball.
enum EightBall {
    static var service: CBUUID { CBUUID(string: "8E38140A-27BE-4090-8955-4FC4B5698D1E") }
    static var question: CBUUID { CBUUID(string: "BDD37D7A-F66A-47B9-A49C-FE29FD235A77") }
    static var answer: CBUUID { CBUUID(string: "349A0D7B-6215-4E2C-A095-AF078D737445") }
    /// A ball with a weaker signal, in dBm, is too far away.
    static let weakestSignal = -60
}

// MARK: - The manager

/// Finds balls and connects to them.
final class BallFinder: NSObject {
    /// Called with each ball that is connected.
    var onConnect: (CBPeripheral) -> Void = { _ in }
    /// Called with each ball whose connection was lost or failed.
    var onLoss: (CBPeripheral) -> Void = { _ in }
    /// The balls that were found. Core Bluetooth does not retain them.
    var balls: [CBPeripheral] = []
    private var central: CBCentralManager?

    override init() {
        super.init()
        central = CBCentralManager(delegate: self, queue: nil)
    }
}

// MARK: - The delegate

extension BallFinder: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        central.scanForPeripherals(withServices: [EightBall.service])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard RSSI.intValue >= EightBall.weakestSignal, !balls.contains(peripheral) else { return }
        balls.append(peripheral)
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        onConnect(peripheral)
    }
}
