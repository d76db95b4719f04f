// Stores the record of one manager with a restore identifier: claims it when the adapter's storage is known, returns
// its content, and writes it again after each change, not at the end of the process, which comes without warning.
//
// A record belongs to a program and an identifier, and to one manager at a time. It is removed when its manager is
// released while its process lives, or when there is nothing left to restore.

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
        /// Another manager has the record, or this one was released.
        case closed
    }

    /// The manager's restore identifier.
    let identifier: String
    private let name: String
    private var state = State.unopened
    private var isDirty = false
    /// The content that was found and is not taken over yet; it stays in the storage.
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

    /// Claims the record, the first time; returns the state to restore.
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

    /// The recorded state has changed.
    func noteChange() { self.isDirty = true }

    /// The manager has taken over the content: from now on the record is the manager's own state.
    func takenOver() {
        self.found = nil
        self.isDirty = true
    }

    /// Writes the record if its state has changed.
    func save(_ make: () -> Record) {
        guard self.isDirty, self.found == nil, case .open(let writer, _) = self.state else { return }
        self.isDirty = false
        let record = make()
        writer.write(self.name, .endOfProcess) { record.isEmpty ? nil : try record.document() }
    }

    /// The manager was released: its record is removed.
    func remove() {
        if case .open(let writer, _) = self.state { writer.write(self.name, .endOfProcess) { nil } }
        self.state = .closed
    }

    /// The process has ended: the record stays.
    func close() { self.state = .closed }
}
