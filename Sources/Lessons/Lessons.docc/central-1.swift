import CoreBluetooth
import Foundation

/// The UUIDs of a Magic 8-Ball.
enum EightBall {
    static var service: CBUUID { CBUUID(string: "8E38140A-27BE-4090-8955-4FC4B5698D1E") }
    static var question: CBUUID { CBUUID(string: "BDD37D7A-F66A-47B9-A49C-FE29FD235A77") }
    static var answer: CBUUID { CBUUID(string: "349A0D7B-6215-4E2C-A095-AF078D737445") }
    /// A ball that is weaker is too far away, in dBm.
    static let weakestSignal = -60
}
