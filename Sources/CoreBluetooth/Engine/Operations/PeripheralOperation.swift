// An app's operation on a peripheral: one object from the call to the delegate. It is created on the app's thread,
// waits in the queue of the link's GATT client, and comes back to the manager's queue with its result.
//
//     the app's call ── Mailbox ──▶ awaited, in the client's queue ── its turn ──▶ asking the peer
//                                        │ its attributes are gone              │ answered │ out of sync: again
//                                        ▼                                      ▼          ▼
//                                     refused ─────────── Mailbox ──▶ the app's objects and the delegate
//
// An operation ends with its link, and then only the disconnection is reported. The client's queue alone decides the
// order of operations. A peer can let an operation wait for 30 s, and refuse it; its answers are checked by the GATT
// procedure.

import BluetoothHost
import BluetoothTypes
import NIOCore

/// One operation of one app on one peripheral.
class PeripheralOperation: GATTOperation {
    /// The attribute. The app's object is kept, since another one may have its handles later.
    enum Subject {
        case peripheral
        case service(CBService, AttributeHandleRange)
        /// Without an object if no app asked for it.
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
    /// The reported error.
    private(set) final var failure: GATTError?

    // On the event loop.

    /// The connection that it belongs to, until it has ended, even if the connection ends before: a subscription that
    /// the peer has accepted must be known.
    private var connection: PeripheralConnection?
    private var repetitions = 0
    /// The error of the procedure; the operation may be repeated after it.
    private var error: GATTError?

    /// The limit of the repetitions of an operation that the server refuses because the database has changed.
    private static let repetitionLimit = 3

    init(_ subject: Subject) { self.subject = subject }

    // MARK: For subclasses

    /// Its turn has come. Returns false if the result is known without asking the peer.
    func mustAsk(for connection: PeripheralConnection) -> Bool { true }

    /// Takes its turn or an answer of the peer, and returns the next request; see ``follow(_:_:mtu:_:)``.
    func ask(_ event: GATTEvent, mtu: Int) -> ByteBuffer? { nil }

    /// The peer has answered, even if the app no longer waits.
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

    /// Whether it is about attributes in a range, so that it is refused once they are invalid.
    final func concerns(_ range: AttributeHandleRange) -> Bool {
        switch self.subject {
        case .peripheral: false
        case .service(_, let handles): handles.overlaps(range)
        case .characteristic(_, let record): range.contains(record.valueHandle)
        case .descriptor(_, let handle): range.contains(handle)
        }
    }

    /// Starts on a link.
    func start(on link: LinkID, for connection: PeripheralConnection) {
        self.connection = connection
        connection.host.perform(self, on: link)
    }

    final override func step(_ event: GATTEvent, mtu: Int) -> ByteBuffer? {
        if case .turn = event {
            self.error = nil
            guard let connection = self.connection, connection.awaits(self) else { return self.leave() }
            guard self.mustAsk(for: connection) else {
                _ = self.leave()
                self.complete(for: connection)
                return nil
            }
        }
        return self.ask(event, mtu: mtu)
    }

    /// Ends without a request.
    private func leave() -> ByteBuffer? {
        self.cancel()
        self.connection = nil
        return nil
    }

    /// Takes a step of the operation's procedure; `finish` gets its result.
    @inline(__always)
    final func follow<Procedure: GATTProcedure>(
        _ procedure: inout Procedure,
        _ event: GATTEvent,
        mtu: Int,
        _ finish: (Procedure.Output) -> Void
    ) -> ByteBuffer? {
        switch procedure.step(event, mtu: mtu) {
        case .request(let pdu):
            self.isExclusive = procedure.isExclusive
            return pdu
        case .finish(.success(let output)): finish(output)
        case .finish(.failure(let error)): self.error = error
        }
        return nil
    }

    final override func finish(_ bearerError: GATTError?) {
        guard let connection = self.connection.take() else { return }
        let error = bearerError ?? self.error
        switch error {
        // Only the disconnection is reported.
        case .disconnected?, .notConnected?: return
        // The host ends the link.
        case .transactionTimeout?: connection.peer.server.hasTimedOut = true
        default: break
        }
        self.settle(error, for: connection)
        if case .att(.invalidHandle, handle: _)? = error {
            connection.session.core.peers.foundInvalidHandle(of: connection.peer)
        }
        if case .att(.databaseOutOfSync, handle: _)? = error, self.repetitions < Self.repetitionLimit,
            let link = connection.peer.link
        {
            self.repetitions += 1
            self.connection = connection
            return connection.host.perform(self, on: link, isNext: true)
        }
        self.error = error
        self.complete(for: connection)
    }

    /// Fails without asking.
    final func fail(_ error: ATTErrorCode, handle: AttributeHandle) { self.error = .att(error, handle: handle) }

    /// Reports it unless the app no longer waits.
    final func complete(for connection: PeripheralConnection) {
        guard connection.take(self) else { return }
        self.failure = self.error
        self.report(to: connection)
    }

    // MARK: On the manager's queue

    /// The error as Core Bluetooth reports it.
    final var reportedError: (any Error)? { self.failure.map(coreBluetoothError) }

    /// Changes the app's objects and calls the delegate, unless the connection has ended or its attribute was removed.
    final func deliver(to id: ConnectionID, in context: CentralContext) {
        // The object is released outside of the lock, which its deinitializer takes.
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

extension CBPeripheral {
    /// Whether the present connection has what an operation is about. Under the lock.
    @inline(__always)
    func has(_ subject: PeripheralOperation.Subject) -> Bool {
        switch subject {
        case .peripheral: true
        case .service(let service, let handles): self.attributes.services[handles.lowerBound] === service
        case .characteristic(let characteristic, let record):
            self.attributes.characteristics[record.valueHandle] === characteristic
        case .descriptor(let descriptor, let handle): self.attributes.descriptors[handle] === descriptor
        }
    }
}

/// An operation on its way between the app and the event loop.
///
/// Unchecked, since it is handed over and never shared: the app's thread does not use it after sending it, and the
/// event loop writes nothing that the manager's queue reads after reporting it. Its attribute object is only used on
/// that queue.
struct HandedOperation: @unchecked Sendable {
    let operation: PeripheralOperation

    init(_ operation: PeripheralOperation) { self.operation = operation }
}
