// The requests and commands of a GATT client that wait for their turn, in the order in which they are sent.

import BluetoothTypes
import DequeModule
import NIOCore

/// The queue of a GATT client.
struct GATTClientQueue {
    enum Entry {
        case procedure(OwnedProcedure)
        case writeCommand(AttributeHandle, ByteBuffer, TransmitToken)
    }

    /// The number of procedures that may wait.
    private let limit: Int
    private var entries: Deque<Entry> = []
    private var procedureCount = 0

    init(limit: Int) { self.limit = limit }

    var isEmpty: Bool { self.entries.isEmpty }
    var isFull: Bool { self.procedureCount >= self.limit }
    var first: Entry? { self.entries.first }

    mutating func append(_ procedure: OwnedProcedure) {
        self.procedureCount += 1
        self.entries.append(.procedure(procedure))
    }

    /// Puts a procedure at the head of the queue, whatever the limit.
    mutating func prepend(_ procedure: OwnedProcedure) {
        self.procedureCount += 1
        self.entries.prepend(.procedure(procedure))
    }

    mutating func append(_ handle: AttributeHandle, _ value: ByteBuffer, _ token: TransmitToken) {
        self.entries.append(.writeCommand(handle, value, token))
    }

    mutating func removeFirst() {
        if case .procedure = self.entries.removeFirst() { self.procedureCount -= 1 }
    }

    /// Removes a procedure; returns `nil` if it does not wait.
    mutating func remove(_ id: GATTProcedureID) -> OwnedProcedure? {
        for (index, entry) in self.entries.enumerated() {
            guard case .procedure(let procedure) = entry, procedure.id == id else { continue }
            self.entries.remove(at: index)
            self.procedureCount -= 1
            return procedure
        }
        return nil
    }

    /// Removes the Write Commands to these handles; returns the token of each.
    mutating func removeCommands(to handles: AttributeHandleRange) -> [TransmitToken] {
        var tokens: [TransmitToken] = []
        self.entries.removeAll { entry in
            guard case .writeCommand(let handle, _, let token) = entry, handles.contains(handle) else { return false }
            tokens.append(token)
            return true
        }
        return tokens
    }
}
