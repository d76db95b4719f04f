// The keys of a terminal, read on the main thread as they are pressed.

import Dispatch
import Foundation

/// Reads a terminal's keys.
@MainActor
final class KeyInput {
    /// How long, in milliseconds, a lone Escape waits for the rest of a sequence.
    private static let escapeTime = 40

    private let descriptor: CInt
    private var parser = KeyParser()
    private var source: (any DispatchSourceProtocol)?
    private var onKey: ((Key) -> Void)?
    private var onEnd: (() -> Void)?
    private var escapeGeneration = 0

    /// Creates the input of a terminal in raw mode.
    init(_ descriptor: CInt) { self.descriptor = descriptor }

    /// Starts reading.
    ///
    /// - Parameters:
    ///   - onEnd: Called when the terminal is gone.
    ///   - onKey: Called with each key.
    func open(onEnd: @escaping () -> Void = {}, onKey: @escaping (Key) -> Void) {
        self.onKey = onKey
        self.onEnd = onEnd
        let source = DispatchSource.makeReadSource(fileDescriptor: self.descriptor, queue: .main)
        source.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.read() } }
        self.source = source
        source.resume()
    }

    /// Stops reading.
    func close() {
        self.source?.cancel()
        self.source = nil
    }

    func read() {
        var octets = [UInt8](repeating: 0, count: 1024)
        let count = Foundation.read(self.descriptor, &octets, octets.count)
        guard count > 0 else {
            // The terminal is gone; only SIGHUP ends the process.
            if count == 0 || errno != EINTR && errno != EAGAIN {
                self.close()
                self.onEnd?()
            }
            return
        }
        self.escapeGeneration += 1
        self.deliver(self.parser.receive(octets[..<count]))
        guard self.parser.isPending else { return }
        let generation = self.escapeGeneration
        DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(Self.escapeTime)) { [weak self] in
            MainActor.assumeIsolated {
                guard let self, self.escapeGeneration == generation else { return }
                self.deliver(self.parser.flush())
            }
        }
    }

    private func deliver(_ keys: [Key]) {
        for key in keys { self.onKey?(key) }
    }
}
