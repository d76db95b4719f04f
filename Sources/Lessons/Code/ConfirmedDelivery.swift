// Lesson 4: confirmed delivery. A question counts as asked once the ball has confirmed it.

import CoreBluetooth
import Foundation

// MARK: - The central waits for the confirmation

extension Ball {
    /// Makes the ball confirm each question.
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
    /// Accepts only what ends with a question mark.
    func insistOnQuestions() {
        judge = { $0.hasSuffix("?") ? .success : .unlikelyError }
    }
}
