// Writes without response in a row: BlueZ hands out a socket for them, of which each packet is one write. While it is
// open, BlueZ refuses WriteValue for the characteristic, to every program, so it is closed when the row has ended.
//
//     idle ── several in a row, or a busy call ──▶ acquiring ── socket ──▶ open ── request, or a pause ──▶ idle
//      ▲                                               └── refused ──▶ (calls, until the row has ended)
//
// While another program has the socket, calls come back, in order and before the answer to AcquireWrite that was sent
// after them, so they wait in front of later writes.
//
// A request must not overtake what is in the socket: ``isDrained`` says when BlueZ has read everything.

import NIOCore

/// The writes without response of one characteristic, on their way to BlueZ.
final class CommandStream {
    private enum State {
        /// Each is a call; the number of consecutive ones.
        case idle(count: Int)
        /// AcquireWrite is on its way, or to be repeated; what comes meanwhile waits, behind calls that came back.
        case acquiring([ByteBuffer], returned: Int)
        case open(PacketSocket, limit: Int)
        case refused
    }

    /// Where a write goes.
    enum Route {
        /// It is to be a call of WriteValue.
        case call
        /// It is in the socket, or will be.
        case taken
        /// It waits for a socket that is to be asked for now.
        case acquire
    }

    private var state = State.idle(count: 0)
    /// Counts writes, so that a pause can be noticed.
    private(set) var writeCount = 0

    /// Fewer writes than these in a row are calls.
    private static let threshold = 8
    /// A row has ended when nothing is written for so long.
    static let pause = TimeAmount.milliseconds(500)

    /// Whether more writes are to wait.
    var isFull: Bool {
        switch self.state {
        case .idle, .refused: false
        case .acquiring(let waiting, _): waiting.count >= 64
        case .open(let socket, _): socket.isFull
        }
    }

    /// Whether BlueZ has everything that was written.
    var isDrained: Bool {
        switch self.state {
        case .idle, .refused: true
        case .acquiring: false
        case .open(let socket, _): socket.isDrained
        }
    }

    /// Takes a write.
    func write(_ value: ByteBuffer) -> Route {
        self.writeCount += 1
        switch self.state {
        case .idle(let count):
            guard count >= Self.threshold else {
                self.state = .idle(count: count + 1)
                return .call
            }
            self.state = .acquiring([value], returned: 0)
            return .acquire
        case .acquiring(let waiting, let returned):
            self.state = .acquiring(waiting + [value], returned: returned)
            return .taken
        case .open(let socket, let limit):
            // BlueZ loses longer ones without a word; a call says so.
            guard value.readableBytes <= limit else { return .call }
            socket.send(value)
            return .taken
        case .refused: return .call
        }
    }

    /// A call came back, because another program has the socket; returns `nil` if the write is lost.
    func returned(_ value: ByteBuffer) -> Route? {
        switch self.state {
        case .idle:
            self.state = .acquiring([value], returned: 1)
            return .acquire
        case .acquiring(var waiting, let returned):
            waiting.insert(value, at: returned)
            self.state = .acquiring(waiting, returned: returned + 1)
            return .taken
        case .open, .refused: return nil
        }
    }

    /// BlueZ has answered AcquireWrite; returns the writes that have to be calls.
    func acquired(_ socket: PacketSocket?, limit: Int) -> [ByteBuffer] {
        guard case .acquiring(let waiting, _) = self.state else { return [] }
        guard let socket else {
            self.state = .refused
            return waiting
        }
        self.state = .open(socket, limit: limit)
        for value in waiting where value.readableBytes <= limit { socket.send(value) }
        return waiting.filter { $0.readableBytes > limit }
    }

    /// The row has ended; what is in the socket is BlueZ's. Nothing happens while writes wait here.
    func release() {
        switch self.state {
        case .acquiring: return
        case .open(let socket, _):
            guard !socket.isFull else { return }
            socket.close()
        case .idle, .refused: break
        }
        self.state = .idle(count: 0)
    }
}
