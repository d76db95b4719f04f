// The peripheral's conversations: one per central, so that centrals cannot disturb each other.

#if !os(tvOS) && !os(watchOS) && !os(visionOS)
import CoreBluetooth
public import Foundation

/// A central, as the peripheral sees it.
internal final class ListeningCentral {
    /// The most centrals without a subscription that are remembered: Core Bluetooth does not report that they
    /// disconnect.
    static let maximumSilent = 64

    /// Core Bluetooth's object for the central.
    let central: CBCentral
    /// Whether it has subscribed.
    var isSubscribed = false
    /// The messages to it, the oldest first; none unless it has subscribed.
    var waiting: [(message: [String: String], pieces: MessagePieces)] = []
    /// The last message that was sent to it.
    var lastMessage: Data?
    /// Reassembles messages from it.
    var assembler = MessageAssembler()
    /// Its position in reading a message that does not fit into one value.
    private var reading: MessagePieces?
    private var readingPiece = Data()

    init(_ central: CBCentral) { self.central = central }

    /// The central's identifier.
    var identifier: UUID { central.identifier }

    /// The value for a read: the message itself if it fits into one value, else its next piece, in rotation.
    ///
    /// - Parameter isBegin: false for the later parts of one long read, which continue with the piece of the first
    ///   part.
    func readableValue(of message: Data, isBegin: Bool) -> Data {
        guard isBegin else { return readingPiece }
        var pieces = reading.flatMap { $0.message == message && $0.isCut ? $0 : nil } ?? MessagePieces(message)
        readingPiece = pieces.next(limit: MessagePieces.longestValue)
        pieces.advance(past: readingPiece)
        reading = pieces
        return readingPiece
    }
}

extension PeripheralRole.BluetoothManager {
    /// Sends a message to one central, or to all that have subscribed.
    ///
    /// It is sent once the transmit queue has space. A message to all is also what reads get from now on.
    ///
    /// - Throws: ``BlueEarError/tooLong(_:)``, ``BlueEarError/busy``, and ``BlueEarError/nobodyThere`` if the central
    ///   has not subscribed.
    public func send(_ message: [String: String], to central: UUID? = nil) throws {
        let data = try PropertyListMessage.encode(message)
        if let central = central {
            guard let peer = peers.first(where: { $0.identifier == central && $0.isSubscribed }) else {
                throw BlueEarError.nobodyThere
            }
            guard enqueue(message, data, for: peer) else { throw BlueEarError.busy }
        } else {
            lastMessage = data
            for peer in peers where peer.isSubscribed && !enqueue(message, data, for: peer) {
                // A slow central must not affect the others.
                observer?.didFail(.busy, with: peer.identifier)
            }
        }
        handOver()
    }

    private func enqueue(_ message: [String: String], _ data: Data, for peer: ListeningCentral) -> Bool {
        guard peer.waiting.count < BlueEarService.maximumWaitingMessages else { return false }
        peer.waiting.append((message, MessagePieces(data)))
        return true
    }

    /// Hands waiting messages to Core Bluetooth until its transmit queue is full; it reports when there is space again.
    internal func handOver() {
        // A delegate that sends from inside a callback adds to the messages being handed over.
        guard !isHandingOver, let manager = peripheralManager, let characterisctic = characterisctic else { return }
        isHandingOver = true
        defer { isHandingOver = false }
        // One piece per central in turn: a long message to one does not delay the others.
        var canSend = true
        while canSend {
            canSend = false
            for peer in peers where !peer.waiting.isEmpty {
                guard .poweredOn == manager.state else { return }
                let piece = peer.waiting[0].pieces.next(limit: peer.central.maximumUpdateValueLength)
                guard manager.updateValue(piece, for: characterisctic, onSubscribedCentrals: [peer.central]) else {
                    continue
                }
                canSend = true
                didHandOver(piece, to: peer)
            }
        }
    }

    private func didHandOver(_ piece: Data, to peer: ListeningCentral) {
        peer.waiting[0].pieces.advance(past: piece)
        guard peer.waiting[0].pieces.isComplete else { return }
        let (message, pieces) = peer.waiting.removeFirst()
        peer.lastMessage = pieces.message
        bluetoothMessaging?.didSendData()
        observer?.didSend(message, to: peer.identifier)
    }

    // MARK: Centrals

    /// The conversation with a central, created if there is none.
    internal func peer(for central: CBCentral) -> ListeningCentral {
        if let index = peers.firstIndex(where: { $0.identifier == central.identifier }) {
            let peer = peers[index]
            guard peer.central !== central, !peer.isSubscribed else { return peer }
            peers.remove(at: index)
        }
        let silent = peers.filter { !$0.isSubscribed }
        if silent.count >= ListeningCentral.maximumSilent {
            peers.removeAll { $0 === silent[0] }
        }
        let peer = ListeningCentral(central)
        peers.append(peer)
        return peer
    }

    /// A central has subscribed.
    internal func begin(with central: CBCentral) {
        peers.removeAll { $0.identifier == central.identifier }
        let peer = peer(for: central)
        peer.isSubscribed = true
        observer?.didBegin(with: peer.identifier)
        if let message = message {
            do {
                _ = enqueue(message, try PropertyListMessage.encode(message), for: peer)
            } catch {
                observer?.didFail(BlueEarError(error), with: peer.identifier)
            }
        }
        handOver()
    }

    /// A central has unsubscribed.
    internal func end(with central: CBCentral) {
        guard let index = peers.firstIndex(where: { $0.identifier == central.identifier && $0.isSubscribed }) else {
            return
        }
        let peer = peers.remove(at: index)
        if peer.assembler.isCollecting { observer?.didFail(.incomplete, with: peer.identifier) }
        observer?.didEnd(with: peer.identifier)
    }

    /// The adapter is gone, and all links with it.
    internal func endAll() {
        peers.filter(\.isSubscribed).forEach { end(with: $0.central) }
        peers.removeAll()
    }

    // MARK: Values

    /// Handles a value that a central has written; returns the response.
    internal func receive(_ value: Data, from central: CBCentral) -> (answer: CBATTError.Code, report: () -> Void) {
        let peer = peer(for: central)
        let identifier = peer.identifier
        let (outcome, brokeOff) = peer.assembler.receive(value)
        var error: BlueEarError?
        var message: [String: String]?
        let answer: CBATTError.Code
        switch outcome {
        case .piece:
            answer = .success
        case .message(let data):
            message = PropertyListMessage.decode(data)
            error = nil == message ? .malformed : nil
            answer = nil == message ? .invalidPdu : .success
        case .skipped:
            answer = .unlikelyError
        case .failure(let failure):
            error = failure
            if case .tooLong = failure { answer = .invalidAttributeValueLength } else { answer = .unlikelyError }
        }
        return (
            answer,
            { [self] in
                if brokeOff { observer?.didFail(.incomplete, with: identifier) }
                if let error = error { observer?.didFail(error, with: identifier) }
                guard let message = message else { return }
                bluetoothMessaging?.didReceiveData()
                observer?.didReceive(message, from: identifier)
            }
        )
    }

    /// The value for a central's read: the last message that was sent to it or to all, or the first message.
    internal func readableValue(for central: CBCentral, isBegin: Bool) -> Data {
        let peer = peer(for: central)
        let data = peer.lastMessage ?? lastMessage ?? message.flatMap { try? PropertyListMessage.encode($0) } ?? Data()
        return peer.readableValue(of: data, isBegin: isBegin)
    }
}
#endif
