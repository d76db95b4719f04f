// Values that most tests of Core Bluetooth use: texts as octets and back, and the attributes of a Magic 8-Ball.

@testable import CoreBluetooth

extension String {
    /// The text as octets.
    var octets: Data { Data(self.utf8) }
}

extension Data {
    /// The octets as text.
    var text: String { String(decoding: self, as: UTF8.self) }
}

extension CBMutableCharacteristic {
    /// The characteristic that takes an 8-ball's questions.
    static func question() -> CBMutableCharacteristic {
        CBMutableCharacteristic(
            type: IDs.question,
            properties: [.write, .writeWithoutResponse],
            value: nil,
            permissions: [.writeable]
        )
    }

    /// The characteristic that notifies an 8-ball's answers.
    static func answer() -> CBMutableCharacteristic {
        CBMutableCharacteristic(
            type: IDs.answer,
            properties: [.read, .notify],
            value: nil,
            permissions: [.readable]
        )
    }

    /// A characteristic whose value only encrypted links can read.
    static func secret() -> CBMutableCharacteristic {
        CBMutableCharacteristic(type: IDs.secret, properties: .read, value: nil, permissions: .readEncryptionRequired)
    }
}

/// The UUIDs of the tests.
enum IDs {
    static var service: CBUUID { CBUUID(string: "8E38140A-27BE-4090-8955-4FC4B5698D1E") }
    static var question: CBUUID { CBUUID(string: "BDD37D7A-F66A-47B9-A49C-FE29FD235A77") }
    static var answer: CBUUID { CBUUID(string: "349A0D7B-6215-4E2C-A095-AF078D737445") }
    static var other: CBUUID { CBUUID(string: "FFF0") }
    static var secret: CBUUID { CBUUID(string: "FFF1") }
}
