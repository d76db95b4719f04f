// The requests and commands of a GATT client that wait for their turn, in the order in which they are sent.

import BluetoothTypes
import DequeModule
import NIOCore

/// The queue of a GATT client.
struct GATTClientQueue {
    enum Entry {
        case operation(GATTOperation)
        case writeCommand(AttributeHandle, ByteBuffer, TransmitToken)
    }

    /// The number of operations that may wait.
    private let limit: Int
    private var entries: Deque<Entry> = []
    private var operationCount = 0

    init(limit: Int) { self.limit = limit }

    var isEmpty: Bool { self.entries.isEmpty }
    var isFull: Bool { self.operationCount >= self.limit }
    var first: Entry? { self.entries.first }

    mutating func append(_ operation: GATTOperation) {
        self.operationCount += 1
        self.entries.append(.operation(operation))
    }

    /// Puts an operation at the head of the queue, whatever the limit.
    mutating func prepend(_ operation: GATTOperation) {
        self.operationCount += 1
        self.entries.prepend(.operation(operation))
    }

    mutating func append(_ handle: AttributeHandle, _ value: ByteBuffer, _ token: TransmitToken) {
        self.entries.append(.writeCommand(handle, value, token))
    }

    mutating func removeFirst() {
        if case .operation = self.entries.removeFirst() { self.operationCount -= 1 }
    }

    /// Removes an operation; says whether it has waited.
    mutating func remove(_ operation: GATTOperation) -> Bool {
        for (index, entry) in self.entries.enumerated() {
            guard case .operation(operation) = entry else { continue }
            self.entries.remove(at: index)
            self.operationCount -= 1
            return true
        }
        return false
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

/// Matches the operation itself.
func ~= (pattern: GATTOperation, operation: GATTOperation) -> Bool { pattern === operation }
