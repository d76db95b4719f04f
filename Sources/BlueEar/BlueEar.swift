// The messenger of two devices, on Core Bluetooth alone: one advertises and sends a message as soon as a central
// subscribes, the other finds it, listens, answers and leaves. The two halves were two apps, each with a protocol
// `BlueEar` and a class `BluetoothManager`; here they live in `PeripheralRole` and `CentralRole`.
//
// This file has what both halves share: the service, and what they report beyond the two protocols.

public import CoreBluetooth
import Foundation

/// Where the two halves meet, and how much they take.
public enum BlueEarService {
    /// The service that the peripheral advertises.
    public static let serviceUUID = "0cdbe648-eed0-11e6-bc64-92361f002671"
    /// The one characteristic, for both directions: notified down, written up.
    public static let characteristicUUID = "199ab74c-eed0-11e6-bc64-92361f002672"
    /// How long, in octets, a message may be as a binary property list.
    ///
    /// A longer one is not sent, and refused where a peer sends it.
    public static let maximumMessageLength = 1_048_576
    /// How many messages may wait for one peer.
    public static let maximumWaitingMessages = 64

    /// How long, in octets, a message is as a binary property list.
    ///
    /// - Throws: ``BlueEarError/tooLong(_:)`` where it is too long to be sent.
    public static func length(of message: [String: String]) throws -> Int {
        try PropertyListMessage.encode(message).count
    }
}

/// What the `BlueEar` protocols do not report: the messages themselves, their peers, and errors.
///
/// A manager calls its delegate with all of this where that conforms to the protocol. A peer is named by its
/// identifier, which is that of its `CBPeripheral` or `CBCentral`.
public protocol MessageObserver {
    /// A message came.
    func didReceive(_ message: [String: String], from peer: UUID)
    /// A message is delivered: notified down, or written up and confirmed.
    func didSend(_ message: [String: String], to peer: UUID)
    /// A peer can be sent messages from now on.
    func didBegin(with peer: UUID)
    /// A peer cannot be sent messages any more; what waited for it is gone on the peripheral, and kept on the central.
    func didEnd(with peer: UUID)
    /// An error occurred; the conversation goes on where that is possible.
    func didFail(_ error: BlueEarError, with peer: UUID?)
    /// The central has closed its link, and does nothing any more.
    func didFinish()
    /// The adapter came or went.
    func didUpdateState(_ state: CBManagerState)
    /// What the app did before it ended is taken up, with these peers.
    func didRestoreState(peers: [UUID])
}

extension MessageObserver {
    /// Does nothing.
    public func didReceive(_ message: [String: String], from peer: UUID) {}
    /// Does nothing.
    public func didSend(_ message: [String: String], to peer: UUID) {}
    /// Does nothing.
    public func didBegin(with peer: UUID) {}
    /// Does nothing.
    public func didEnd(with peer: UUID) {}
    /// Does nothing.
    public func didFail(_ error: BlueEarError, with peer: UUID?) {}
    /// Does nothing.
    public func didFinish() {}
    /// Does nothing.
    public func didUpdateState(_ state: CBManagerState) {}
    /// Does nothing.
    public func didRestoreState(peers: [UUID]) {}
}

/// What can go wrong between two peers.
public enum BlueEarError: Error, Equatable, CustomStringConvertible {
    /// What came is no binary property list of strings.
    case malformed
    /// A message came in pieces, and some of them did not come.
    case incomplete
    /// A message is longer, in octets, than ``BlueEarService/maximumMessageLength``.
    case tooLong(Int)
    /// Too many messages wait for the peer.
    case busy
    /// There is no peer to send to.
    case nobodyThere
    /// The peripheral does not have the messenger's service or characteristic.
    case notAnEar
    /// The link did not come to be, or was silent for too long.
    case unanswered
    /// One side has lost the keys with which the devices have paired.
    case lostKeys
    /// The peer refused a message, with an ATT error.
    case refused(CBATTError.Code)
    /// Core Bluetooth reported something else.
    case bluetooth(String)

    /// One line for a reader.
    public var description: String {
        switch self {
        case .malformed:
            return "what came is no binary property list of strings"
        case .incomplete:
            return "a message came in pieces, and not all of them"
        case .tooLong(let length):
            let limit = BlueEarService.maximumMessageLength
            return "a message of \(length) octets is too long; \(limit) is the most"
        case .busy:
            return "too many messages are waiting; send again when some are delivered"
        case .nobodyThere:
            return "nobody is connected"
        case .notAnEar:
            return "it does not have the messenger's characteristic"
        case .unanswered:
            return "it did not answer in time"
        case .lostKeys:
            return "one of the devices has lost the keys of their pairing"
        case .refused(let code):
            return "it refused the message (ATT error \(code.rawValue))"
        case .bluetooth(let text):
            return text
        }
    }

    /// What an error of Core Bluetooth means here; an error of the messenger itself stays what it is.
    internal init(_ error: Error) {
        if let error = error as? BlueEarError {
            self = error
        } else if let error = error as? CBATTError {
            self = .refused(error.code)
        } else {
            self = .bluetooth(error.localizedDescription)
        }
    }
}
