// The central's messages: those received are reassembled and reported, those sent are segmented and confirmed.
//
// A message that fits into one write is written unchanged. A longer one is sent in pieces; all but the last are written
// without response, which is many times faster, and the response to the last one confirms them all. A peripheral that
// has lost pieces refuses the last one; then all of them are written again, each with response.

import CoreBluetooth
import Foundation

/// A message to be sent to a peripheral.
internal struct OutgoingMessage {
    let message: [String: String]
    let data: Data
    var pieces: MessagePieces
    /// Whether each piece is written with response.
    var isCareful = false

    init(_ message: [String: String], _ data: Data) {
        self.message = message
        self.data = data
        pieces = MessagePieces(data)
    }

    /// Whether it is sent in pieces.
    var wasCut: Bool { pieces.pieceCount > 1 }

    /// Starts again with the first piece.
    mutating func rewind() { pieces = MessagePieces(data) }
}

extension CentralRole.BluetoothManager {
    /// Sends a message, once there is a link.
    ///
    /// A message that is not confirmed when the link is lost is written again on the next link, so the peripheral may
    /// get it twice.
    ///
    /// - Throws: ``BlueEarError/tooLong(_:)`` or ``BlueEarError/busy``.
    public func send(_ message: [String: String]) throws {
        let data = try PropertyListMessage.encode(message)
        guard waiting.count < BlueEarService.maximumWaitingMessages else { throw BlueEarError.busy }
        waiting.append(OutgoingMessage(message, data))
        write()
    }

    /// Closes the link once a message was received and answered, and everything that waits is delivered.
    public func leaveWhenDone() {
        isLeaving = true
        leaveIfDone()
    }

    private func leaveIfDone() {
        // An unconfirmed message waits, too.
        guard hasExchanged, waiting.isEmpty else { return }
        leave()
    }

    // MARK: Receiving

    /// Handles a value that was notified or read.
    internal func receive(_ value: Data, from peripheral: CBPeripheral, _ characteristic: CBCharacteristic) {
        let identifier = peripheral.identifier
        let (outcome, brokeOff) = assembler.receive(value)
        if brokeOff { observer?.didFail(.incomplete, with: identifier) }
        switch outcome {
        case .piece, .skipped:
            if reads { peripheral.readValue(for: characteristic) }
            return
        case .failure(.incomplete) where reads:
            // A peripheral in the middle of a message sends its beginning later.
            peripheral.readValue(for: characteristic)
            return
        case .failure(let error):
            observer?.didFail(error, with: identifier)
        case .message(let data):
            if let message = PropertyListMessage.decode(data) {
                blueEar?.didReceiveData()
                observer?.didReceive(message, from: identifier)
            } else {
                observer?.didFail(.malformed, with: identifier)
            }
        }
        answer()
    }

    /// Answers the first message of a link, whatever it was.
    private func answer() {
        guard isTalking, !hasAnswered else { return }
        hasAnswered = true
        hasExchanged = true
        if let message = message {
            do {
                try send(message)
            } catch {
                observer?.didFail(BlueEarError(error), with: discoveredPeripheral?.identifier)
            }
        }
        if !stays { isLeaving = true }
        if isLeaving { leaveIfDone() }
    }

    // MARK: Sending

    /// Writes what waits, while writes are possible.
    internal func write() {
        guard case .talking(let peripheral, let characteristic) = stage else { return }
        while case .talking = stage, !awaitsConfirmation, !waiting.isEmpty {
            let limit = min(peripheral.maximumWriteValueLength(for: .withoutResponse), MessagePieces.longestValue)
            let piece = waiting[0].pieces.next(limit: limit)
            let isLast = waiting[0].pieces.isLast(piece)
            let hasCommands = characteristic.properties.contains(.writeWithoutResponse)
            let hasRequests = characteristic.properties.contains(.write)
            guard hasRequests || hasCommands else {
                waiting.removeFirst()
                observer?.didFail(.notAnEar, with: peripheral.identifier)
                continue
            }
            let isConfirmed = hasRequests && (isLast || waiting[0].isCareful || !hasCommands)
            guard isConfirmed || peripheral.canSendWriteWithoutResponse else { return }
            waiting[0].pieces.advance(past: piece)
            awaitsConfirmation = isConfirmed
            peripheral.writeValue(piece, for: characteristic, type: isConfirmed ? .withResponse : .withoutResponse)
            guard isLast else { continue }
            // Removed first: an observer may send re-entrantly.
            let unconfirmed = isConfirmed ? nil : waiting.removeFirst().message
            blueEar?.didSendData()
            if let message = unconfirmed { observer?.didSend(message, to: peripheral.identifier) }
        }
        if isLeaving { leaveIfDone() }
    }

    /// A write was confirmed or refused.
    internal func didWrite(_ error: Error?) {
        guard awaitsConfirmation else { return }
        if let error = error, !(error is CBATTError) {
            // Not a refusal: the link is about to end or has ended. Everything is sent again on the next one.
            waiting[0].rewind()
            startTimer(Self.retryDelay) { [weak self] in self?.cancelConnection(retryAfter: Self.retryDelay) }
            return
        }
        awaitsConfirmation = false
        if let error = error {
            if let error = error as? CBATTError, mayRepeat(error.code) {
                waiting[0].rewind()
                waiting[0].isCareful = true
            } else {
                settle(error)
            }
        } else if waiting[0].pieces.isComplete {
            settle(nil)
        }
        write()
    }

    /// Whether the reason for a refusal may be that pieces were lost.
    private func mayRepeat(_ code: CBATTError.Code) -> Bool {
        guard !waiting[0].isCareful, waiting[0].pieces.isComplete, waiting[0].wasCut else { return false }
        return .unlikelyError == code
    }

    /// The oldest message is delivered, or finally refused.
    private func settle(_ error: Error?) {
        let message = waiting.removeFirst().message
        guard let peripheral = discoveredPeripheral else { return }
        if let error = error {
            observer?.didFail(BlueEarError(error), with: peripheral.identifier)
        } else {
            observer?.didSend(message, to: peripheral.identifier)
        }
    }

    /// A link has ended, and with it the transmission of a message.
    internal func forgetProgress() {
        if assembler.isCollecting {
            observer?.didFail(.incomplete, with: discoveredPeripheral?.identifier)
        }
        assembler = MessageAssembler()
        awaitsConfirmation = false
        if !keepsWaiting {
            waiting.removeAll()
        } else if !waiting.isEmpty {
            waiting[0].rewind()
        }
    }
}
