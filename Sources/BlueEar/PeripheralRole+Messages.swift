// The peripheral's conversations: one for each central, so that what one of them says or does never meets another.

#if !os(tvOS) && !os(watchOS) && !os(visionOS)
import CoreBluetooth
public import Foundation

/// A central, as the peripheral sees it.
internal final class ListeningCentral {
    /// How many centrals that do not listen are remembered: Core Bluetooth does not report when they disconnect.
    static let maximumSilent = 64

    /// Core Bluetooth's object for it.
    let central: CBCentral
    /// Whether it listens.
    var isSubscribed = false
    /// What is on its way to it, the oldest first; nothing while it does not listen.
    var waiting: [(message: [String: String], pieces: MessagePieces)] = []
    /// The last message that was sent to it.
    var lastMessage: Data?
    /// What comes from it.
    var assembler = MessageAssembler()
    /// Where it is with reading a message that no value can hold.
    private var reading: MessagePieces?
    private var readingPiece = Data()

    init(_ central: CBCentral) { self.central = central }

    /// The central's identifier.
    var identifier: UUID { central.identifier }

    /// The value that a read gets: the message itself where a value can hold it, else its next piece, and so on in
    /// turn.
    ///
    /// - Parameter isBegin: false for the later parts of one long read, which go on with what the first part began.
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
    /// Sends a message to one central, or to all that listen.
    ///
    /// It is sent as soon as the transmit queue has space. A message to all is also what is read from now on.
    ///
    /// - Throws: ``BlueEarError/tooLong(_:)``, ``BlueEarError/busy``, and ``BlueEarError/nobodyThere`` where the one
    ///   central does not listen.
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
                // The others are not to suffer from one that is slow.
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

    /// Hands Core Bluetooth what waits until its transmit queue is full; it reports when there is space again.
    internal func handOver() {
        // A delegate that sends from inside a callback adds to what is being handed over.
        guard !isHandingOver, let manager = peripheralManager, let characterisctic = characterisctic else { return }
        isHandingOver = true
        defer { isHandingOver = false }
        // Piece by piece in turn: a long message to one does not keep the others waiting.
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

    /// The conversation with a central, a new one where there is none.
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

    /// A central listens.
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

    /// A central does not listen any more.
    internal func end(with central: CBCentral) {
        guard let index = peers.firstIndex(where: { $0.identifier == central.identifier && $0.isSubscribed }) else {
            return
        }
        let peer = peers.remove(at: index)
        if peer.assembler.isCollecting { observer?.didFail(.incomplete, with: peer.identifier) }
        observer?.didEnd(with: peer.identifier)
    }

    /// The adapter went away, and everybody with it.
    internal func endAll() {
        peers.filter(\.isSubscribed).forEach { end(with: $0.central) }
        peers.removeAll()
    }

    // MARK: Values

    /// Takes a value that a central has written; returns what to answer.
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

    /// The value that a central's read gets: the last message that it was sent, or that went to all, or the first one.
    internal func readableValue(for central: CBCentral, isBegin: Bool) -> Data {
        let peer = peer(for: central)
        let data = peer.lastMessage ?? lastMessage ?? message.flatMap { try? PropertyListMessage.encode($0) } ?? Data()
        return peer.readableValue(of: data, isBegin: isBegin)
    }
}
#endif
