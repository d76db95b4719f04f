// A messenger between two devices, on Core Bluetooth alone: one advertises and sends a message once a central
// subscribes; the other finds it, listens, answers and leaves. In the article the two halves are two apps, each with a
// protocol `BlueEar` and a class `BluetoothManager`; here they are in `PeripheralRole` and `CentralRole`.
//
// This file has what both halves share: the service, and the events beyond the two protocols.

public import CoreBluetooth
import Foundation

/// The messenger's service and its limits.
public enum BlueEarService {
    /// The service that the peripheral advertises.
    public static let serviceUUID = "0cdbe648-eed0-11e6-bc64-92361f002671"
    /// The one characteristic, for both directions: notified by the peripheral, written by the central.
    public static let characteristicUUID = "199ab74c-eed0-11e6-bc64-92361f002672"
    /// The greatest length of a message as a binary property list, in octets.
    ///
    /// A longer one is not sent, and refused if a peer sends it.
    public static let maximumMessageLength = 1_048_576
    /// The most messages that may wait for one peer.
    public static let maximumWaitingMessages = 64

    /// The length of a message as a binary property list, in octets.
    ///
    /// - Throws: ``BlueEarError/tooLong(_:)`` if the message is too long to be sent.
    public static func length(of message: [String: String]) throws -> Int {
        try PropertyListMessage.encode(message).count
    }
}

/// Events beyond those of the `BlueEar` protocols: the messages themselves, their peers, and errors.
///
/// A manager calls its delegate with all of them if the delegate conforms to the protocol. A peer is identified by the
/// identifier of its `CBPeripheral` or `CBCentral`.
public protocol MessageObserver {
    /// A message was received.
    func didReceive(_ message: [String: String], from peer: UUID)
    /// A message was delivered: notified, or written and confirmed.
    func didSend(_ message: [String: String], to peer: UUID)
    /// Messages can be sent to a peer from now on.
    func didBegin(with peer: UUID)
    /// Messages can no longer be sent to a peer. The peripheral drops what waited for it; the central keeps it.
    func didEnd(with peer: UUID)
    /// An error occurred; the conversation goes on if possible.
    func didFail(_ error: BlueEarError, with peer: UUID?)
    /// The central has closed its link and is done.
    func didFinish()
    /// The adapter's state changed.
    func didUpdateState(_ state: CBManagerState)
    /// The state of an app that has ended was restored, with these peers.
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

/// An error between two peers.
public enum BlueEarError: Error, Equatable, CustomStringConvertible {
    /// The received value is not a binary property list of strings.
    case malformed
    /// Pieces of a message were lost.
    case incomplete
    /// A message is longer, in octets, than ``BlueEarService/maximumMessageLength``.
    case tooLong(Int)
    /// Too many messages wait for the peer.
    case busy
    /// There is no peer to send to.
    case nobodyThere
    /// The peripheral does not have the messenger's service or characteristic.
    case notAnEar
    /// No link was established, or the peer was silent for too long.
    case unanswered
    /// One side has lost the keys of the devices' pairing.
    case lostKeys
    /// The peer refused a message, with an ATT error.
    case refused(CBATTError.Code)
    /// Core Bluetooth reported another error.
    case bluetooth(String)

    /// One line for a person.
    public var description: String {
        switch self {
        case .malformed:
            return "the value is not a binary property list of strings"
        case .incomplete:
            return "pieces of a message were lost"
        case .tooLong(let length):
            let limit = BlueEarService.maximumMessageLength
            return "a message of \(length) octets is too long; the limit is \(limit)"
        case .busy:
            return "too many messages are waiting; send again once some are delivered"
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

    /// Maps an error of Core Bluetooth; an error of the messenger is returned unchanged.
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
