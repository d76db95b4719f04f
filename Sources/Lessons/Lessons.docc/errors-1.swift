import CoreBluetooth
import Foundation

/// Why a question has no answer.
enum AskingError: Error {
    /// The ball cannot be reached.
    case offline
    /// The ball was asked something else and has not answered yet.
    case busy
    /// The ball wants a question mark.
    case questionPlease
    /// The ball has said nothing for too long.
    case noAnswer
    /// Anything else.
    case failed(Error)

    /// The word for an error of Core Bluetooth.
    init(_ error: Error) {
        switch error {
        case CBATTError.unlikelyError: self = .questionPlease
        case is CBError: self = .offline
        default: self = .failed(error)
        }
    }
}
