// A GATT procedure as an app asks for it through `CBPeripheral`: described in one type, from the turn that it has on
// the link's ATT bearer to the change of the app's objects. The order of procedures is the bearer's queue alone.

import BluetoothHost

/// A procedure of one app on one peripheral.
///
/// It is made on the app's side, carried out on the event loop, and its answer applied on the manager's queue.
protocol PeripheralProcedure: Sendable {
    /// What is asked of the peer.
    associatedtype Request: GATTProcedure
    /// What the app gets.
    associatedtype Answer: Sendable

    /// Whether it is about attributes in a range, so that it makes no sense once they are invalid.
    func concerns(_ range: AttributeHandleRange) -> Bool

    /// Is asked for on a connection, to which so many invalidations were delivered when the app called.
    ///
    /// A requirement, so that each type of procedure has its own way to the bearer's queue and back: one for all of
    /// them looks their types up at run time.
    func perform(on connection: PeripheralConnection, invalidations: Int)

    /// Its turn has come, with the results of everything before it known.
    func begin(for connection: PeripheralConnection) -> ProcedureStep<Request, Answer>

    /// The peer has answered, also where the app no longer waits.
    func ended(_ result: Result<Request.Output, GATTError>, for connection: PeripheralConnection)

    /// The answer was reported to the app.
    func reported(to connection: PeripheralConnection)

    /// What the app gets of the peer's answer, and what is learned from it.
    func answer(
        _ result: Result<Request.Output, GATTError>,
        for connection: PeripheralConnection
    ) -> Result<Answer, GATTError>

    /// Changes the app's objects and calls the delegate, on the manager's queue.
    func apply(_ result: Result<Answer, GATTError>, to peripheral: CBPeripheral)

    /// The app's call in Apple's words, for an ``AdapterObserver``.
    func call(on peripheral: CBPeripheral) -> String

    /// The call of the delegate in Apple's words, for an ``AdapterObserver``.
    func callback(_ result: Result<Answer, GATTError>, on peripheral: CBPeripheral) -> String
}

/// What a procedure does when its turn comes.
enum ProcedureStep<Request: GATTProcedure, Answer: Sendable> {
    /// It asks the peer.
    case ask(Request)
    /// It has its answer without.
    case answer(Result<Answer, GATTError>)
}

extension PeripheralProcedure {
    func perform(on connection: PeripheralConnection, invalidations: Int) {
        connection.perform(self, invalidations: invalidations)
    }

    func ended(_ result: Result<Request.Output, GATTError>, for connection: PeripheralConnection) {}

    func reported(to connection: PeripheralConnection) {}
}

extension PeripheralProcedure where Answer == Request.Output {
    func answer(
        _ result: Result<Request.Output, GATTError>,
        for connection: PeripheralConnection
    ) -> Result<Answer, GATTError> { result }
}

/// What a procedure of any kind has answered, on its way to the manager's queue.
///
/// Its type is erased by a closure, which is compiled for it; a generic type behind a protocol would look it up.
struct ProcedureAnswer: Sendable {
    private enum Use {
        case apply
        case describe
    }

    private let use: @Sendable (Use, CBPeripheral) -> String?

    init<Procedure: PeripheralProcedure>(_ procedure: Procedure, _ result: Result<Procedure.Answer, GATTError>) {
        self.use = { use, peripheral in
            switch use {
            case .apply:
                procedure.apply(result, to: peripheral)
                return nil
            case .describe: return procedure.callback(result, on: peripheral)
            }
        }
    }

    /// Changes the app's objects and calls the delegate.
    func apply(to peripheral: CBPeripheral) { _ = self.use(.apply, peripheral) }

    /// The call of the delegate in Apple's words.
    func callback(on peripheral: CBPeripheral) -> String? { self.use(.describe, peripheral) }
}

extension Result where Failure == GATTError {
    /// The error, where there is one.
    var failure: GATTError? {
        switch self {
        case .success: nil
        case .failure(let error): error
        }
    }

    /// Whether the server has refused since its database is another one than this device knows.
    var isOutOfSync: Bool {
        switch self {
        case .failure(.att(.databaseOutOfSync, handle: _)): true
        case .success, .failure: false
        }
    }

    /// Whether the server did not answer in time, which ends the link.
    var isTimeout: Bool {
        switch self {
        case .failure(.transactionTimeout): true
        case .success, .failure: false
        }
    }

    /// Whether the link ended first.
    ///
    /// That is not reported: the disconnection is.
    var isDisconnection: Bool {
        switch self {
        case .failure(.disconnected), .failure(.notConnected): true
        case .success, .failure: false
        }
    }
}
