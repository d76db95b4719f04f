// What an app asks of a peripheral: one object from the call to the delegate. It is made on the app's thread, stands in
// the queue of the link's GATT client itself, and comes back to the manager's queue itself, with its result.
//
//     the app's call ── Mailbox ──▶ awaited, in the client's queue ── its turn ──▶ asking the peer
//                                        │ its attributes are gone              │ answered │ out of sync: again
//                                        ▼                                      ▼          ▼
//                                     refused ─────────── Mailbox ──▶ the app's objects and the delegate
//
// An operation ends with its link, and then nothing is reported: the disconnection is. The order of operations is the
// client's queue alone. A peer can let an operation wait for 30 s, and refuse it; what it answers is checked by the
// GATT procedure.

import BluetoothHost
import BluetoothTypes
import NIOCore

/// One operation of one app on one peripheral.
class PeripheralOperation: GATTOperation {
    /// What it is about. The app's object is the one that was asked: at its handles there may be another one later.
    enum Subject {
        case peripheral
        case service(CBService, AttributeHandleRange)
        /// Without an object if no app has asked.
        case characteristic(CBCharacteristic?, GATTRemoteCharacteristic)
        case descriptor(CBDescriptor, AttributeHandle)

        /// The app's object.
        var attribute: CBAttribute? {
            switch self {
            case .peripheral: nil
            case .service(let service, _): service
            case .characteristic(let characteristic, _): characteristic
            case .descriptor(let descriptor, _): descriptor
            }
        }
    }

    let subject: Subject
    /// Why it has failed; set when it is reported.
    private(set) final var failure: GATTError?

    // On the event loop.

    /// Who waits for it, and the link on which it was asked for; kept until it has ended, also if the connection ends
    /// before: a subscription that the peer has accepted must be known.
    private var place: (connection: PeripheralConnection, link: LinkID)?
    private var repetitions = 0
    /// The error of the procedure, which the operation may be repeated after.
    private var error: GATTError?

    /// How often an operation is repeated that the server refuses since the database has changed.
    private static let repetitionLimit = 3

    init(_ subject: Subject) { self.subject = subject }

    // MARK: What kinds of operations do

    /// Its turn has come: whether the peer is to be asked, rather than that it has its answer.
    func mustAsk(for connection: PeripheralConnection) -> Bool { true }

    /// Takes its turn or an answer of the peer, and returns the next request; see ``follow(_:_:mtu:_:)``.
    func ask(_ event: GATTEvent, mtu: Int) -> ByteBuffer? { nil }

    /// The peer has answered, also if the app no longer waits.
    func settle(_ error: GATTError?, for connection: PeripheralConnection) {}

    /// Reports it to the app, which waits for it.
    func report(to connection: PeripheralConnection) {
        connection.report(.completed(connection.id, HandedOperation(self)))
    }

    /// Fails, since its attributes were removed or replaced.
    func refuse(for connection: PeripheralConnection) {
        self.failure = .att(.invalidHandle, handle: 0)
        connection.report(.completed(connection.id, HandedOperation(self)))
    }

    /// Changes the app's objects, on the manager's queue and under the lock, if it has not failed.
    func apply(to peripheral: CBPeripheral) {}

    /// Calls the delegate.
    func inform(_ delegate: any CBPeripheralDelegate, of peripheral: CBPeripheral) {}

    /// The app's call in Apple's words, for an ``AdapterObserver``.
    var call: String { "" }

    /// The call of the delegate in Apple's words, for an ``AdapterObserver``.
    var callback: String { "" }

    // MARK: On the event loop

    /// Whether it is about attributes in a range, so that it makes no sense once they are invalid.
    final func concerns(_ range: AttributeHandleRange) -> Bool {
        switch self.subject {
        case .peripheral: false
        case .service(_, let handles): handles.overlaps(range)
        case .characteristic(_, let record): range.contains(record.valueHandle)
        case .descriptor(_, let handle): range.contains(handle)
        }
    }

    /// Is asked for on a link.
    func start(on link: LinkID, for connection: PeripheralConnection) {
        self.place = (connection, link)
        connection.host.perform(self, on: link)
    }

    final override func step(_ event: GATTEvent, mtu: Int) -> ByteBuffer? {
        if case .turn = event {
            self.error = nil
            guard let connection = self.place?.connection, connection.awaits(self) else { return self.leave() }
            guard self.mustAsk(for: connection) else {
                _ = self.leave()
                self.complete(for: connection)
                return nil
            }
        }
        return self.ask(event, mtu: mtu)
    }

    /// Nothing is asked.
    private func leave() -> ByteBuffer? {
        self.cancel()
        self.place = nil
        return nil
    }

    /// Takes a step of the procedure that the operation is for its peer; `finish` gets what it has found.
    @inline(__always)
    final func follow<Procedure: GATTProcedure>(
        _ procedure: inout Procedure,
        _ event: GATTEvent,
        mtu: Int,
        _ finish: (Procedure.Output) -> Void
    ) -> ByteBuffer? {
        switch procedure.take(event, mtu: mtu) {
        case .request(let pdu):
            self.isExclusive = procedure.isExclusive
            return pdu
        case .finish(.success(let output)): finish(output)
        case .finish(.failure(let error)): self.error = error
        }
        return nil
    }

    final override func finish(_ bearerError: GATTError?) {
        guard let (connection, link) = self.place.take() else { return }
        let error = bearerError ?? self.error
        switch error {
        // That is not reported: the disconnection is.
        case .disconnected?, .notConnected?: return
        // It ends the link.
        case .transactionTimeout?: connection.peer.hasTimedOut = true
        default: break
        }
        self.settle(error, for: connection)
        if case .att(.invalidHandle, handle: _)? = error {
            connection.session.core.peers.foundInvalidHandle(on: link)
        }
        if case .att(.databaseOutOfSync, handle: _)? = error, self.repetitions < Self.repetitionLimit {
            self.repetitions += 1
            self.place = (connection, link)
            return connection.host.perform(self, on: link, isNext: true)
        }
        self.error = error
        self.complete(for: connection)
    }

    /// Fails without asking.
    final func fail(_ error: ATTErrorCode, handle: AttributeHandle) { self.error = .att(error, handle: handle) }

    /// Is reported unless the app no longer waits.
    final func complete(for connection: PeripheralConnection) {
        guard connection.take(self) else { return }
        self.failure = self.error
        self.report(to: connection)
    }

    // MARK: On the manager's queue

    /// Why it has failed, as Core Bluetooth says it.
    final var reportedError: (any Error)? { self.failure.map(coreBluetoothError) }

    /// Changes the app's objects and calls the delegate, unless the connection has ended or its attribute was removed.
    final func deliver(to id: ConnectionID, in context: CentralContext) {
        // The object leaves the lock: who ends takes it.
        let ((peripheral, _), delegate) = context.observation.inform { () -> (CBPeripheral?, Bool) in
            guard let peripheral = context.object(id.token) else { return (nil, false) }
            let isWanted = peripheral.connection.isConnected(id.attempt) && peripheral.has(self.subject)
            if isWanted, self.failure == nil { self.apply(to: peripheral) }
            return (peripheral, isWanted)
        } before: { peripheral, isWanted in
            isWanted ? peripheral?.delegateStorage : nil
        }
        if let peripheral, let delegate { self.inform(delegate, of: peripheral) }
    }
}

/// An operation on its way between the app and the event loop.
///
/// Unchecked, since it is handed over and never shared: the app lets go of it when it sends it, and the event loop
/// writes nothing that the manager's queue reads once it has reported it. Its attribute object is only used on that
/// queue.
struct HandedOperation: @unchecked Sendable {
    let operation: PeripheralOperation

    init(_ operation: PeripheralOperation) { self.operation = operation }
}
