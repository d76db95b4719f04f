// Stores the record of one manager with a restore identifier: takes it when the adapter's storage is there, hands over
// what it holds, and writes it anew whenever something has changed, not at the end of the process, which comes
// unannounced.
//
// A record belongs to a program and its identifier, and to one manager at a time. It lasts until its manager is
// released in a living process, or there is nothing left to restore.

import Foundation

/// The preserved state of a manager.
protocol PreservedRecord: StateContent {
    /// Whether there is nothing to restore.
    var isEmpty: Bool { get }
    /// `central` or `peripheral`.
    static var role: String { get }
}

extension CentralRecord: PreservedRecord {
    static var role: String { "central" }
}

extension PeripheralRecord: PreservedRecord {
    static var role: String { "peripheral" }
}

/// The stored record of one manager. Lives on the event loop.
final class RecordStore<Record: PreservedRecord> {
    private enum State {
        /// The adapter's storage is not known yet.
        case unopened
        case open(StateWriter, StateClaim)
        /// Another manager has the record, or this one is gone.
        case closed
    }

    /// What the app calls the manager.
    let identifier: String
    private let name: String
    private var state = State.unopened
    private var isDirty = false
    /// What was found and is not taken over yet: it stays in the storage.
    private var found: Record?

    /// The stored record of a manager; `nil` for one without a restore identifier.
    ///
    /// - Parameter program: The program that the manager belongs to; `nil` for this process's.
    init?(_ identifier: String?, program: String? = nil) {
        guard let identifier else { return nil }
        let program = program ?? ProcessInfo.processInfo.processName
        self.identifier = identifier
        self.name = "\(Record.role)-\(stateFileName(program))-\(stateFileName(identifier)).json"
    }

    /// Takes the record, the first time; returns what is to be restored.
    func open(_ writer: StateWriter) -> Record? {
        guard case .unopened = self.state else { return nil }
        do {
            guard let claim = try writer.storage.claim(self.name) else {
                self.state = .closed
                Notice.once(
                    """
                    the state of the \(Record.role) manager "\(self.identifier)" is neither restored nor kept: another \
                    manager has that restore identifier; give each its own
                    """
                )
                return nil
            }
            self.state = .open(writer, claim)
        } catch {
            self.state = .closed
            Notice.once("the state of the \(Record.role) manager \"\(self.identifier)\" is not kept: \(error)")
            return nil
        }
        guard let record = writer.storage.load(Record.self, from: self.name), !record.isEmpty else { return nil }
        self.found = record
        return record
    }

    /// Something has changed that the record holds.
    func noteChange() { self.isDirty = true }

    /// The manager has taken over what was found: from now on the record says what it does.
    func takenOver() {
        self.found = nil
        self.isDirty = true
    }

    /// Writes the record where something has changed.
    func save(_ make: () -> Record) {
        guard self.isDirty, self.found == nil, case .open(let writer, _) = self.state else { return }
        self.isDirty = false
        let record = make()
        writer.write(self.name, .endOfProcess) { record.isEmpty ? nil : try record.document() }
    }

    /// The manager is gone: its state is removed.
    func remove() {
        if case .open(let writer, _) = self.state { writer.write(self.name, .endOfProcess) { nil } }
        self.state = .closed
    }

    /// The process is over: the record stays.
    func close() { self.state = .closed }
}
