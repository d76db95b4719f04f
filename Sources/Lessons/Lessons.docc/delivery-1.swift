import CoreBluetooth
import Foundation

extension Ball {
    /// Lets the ball confirm each question.
    func confirmDelivery() {
        writeType = .withResponse
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: Error?) {
        guard let text = question else { return }
        question = nil
        if let error {
            onError(error)
        } else {
            onDelivery(text)
        }
    }
}
