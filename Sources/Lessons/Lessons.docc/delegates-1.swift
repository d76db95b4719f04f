import CoreBluetooth
import Foundation

/// A ball that is connected.
final class Ball: NSObject {
    let peripheral: CBPeripheral
    /// Called when the ball can be asked.
    var onReady: () -> Void = {}
    /// Called with a question that the ball has confirmed.
    var onDelivery: (String) -> Void = { _ in }
    /// Called with each answer.
    var onAnswer: (String) -> Void = { _ in }
    /// Called with what went wrong.
    var onError: (Error) -> Void = { _ in }
    /// How a question is written.
    var writeType = CBCharacteristicWriteType.withoutResponse
    /// The question that is on its way.
    var question: String?

    init(_ peripheral: CBPeripheral) {
        self.peripheral = peripheral
        super.init()
        peripheral.delegate = self
    }

    /// A characteristic that was discovered.
    func characteristic(_ uuid: CBUUID) -> CBCharacteristic? {
        let service = peripheral.services?.first { $0.uuid == EightBall.service }
        return service?.characteristics?.first { $0.uuid == uuid }
    }
}
