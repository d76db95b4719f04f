// Lesson 4: confirmed delivery. A question counts as asked when the ball has said that it has it.

import CoreBluetooth
import Foundation

// MARK: - The central waits for the confirmation

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

// MARK: - The ball reads before it confirms

extension MagicBall {
    /// Takes only what ends with a question mark.
    func insistOnQuestions() {
        judge = { $0.hasSuffix("?") ? .success : .unlikelyError }
    }
}
