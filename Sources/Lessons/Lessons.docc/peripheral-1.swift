import CoreBluetooth
import Foundation

/// A Magic 8-Ball.
final class MagicBall: NSObject {
    let name: String
    /// How the ball finds its answer.
    var answer: (String) -> String = { _ in Bool.random() ? "Yes." : "Ask again later." }
    /// What the ball says to a question that was written to it.
    var judge: (String) -> CBATTError.Code = { _ in .success }
    /// Who is notified of an answer to a central; `nil` for all that have subscribed.
    var recipients: (CBCentral) -> [CBCentral]? = { _ in nil }
    /// What a central needs before it may ask.
    private let permissions: CBAttributePermissions
    private var answerCharacteristic: CBMutableCharacteristic?
    private var manager: CBPeripheralManager?

    init(name: String, permissions: CBAttributePermissions = .writeable) {
        self.name = name
        self.permissions = permissions
        super.init()
        manager = CBPeripheralManager(delegate: self, queue: nil)
    }
}
