// An open L2CAP channel as async calls: a read waits until octets have come, a send until the channel takes them.

import CommandLineTool
import CoreBluetooth
import Foundation

/// A channel to the device in use.
@MainActor
final class OpenChannel: NSObject, @preconcurrency StreamDelegate {
    private let channel: CBL2CAPChannel
    private let central: Central
    private var hasEnded = false
    private var reader: CheckedContinuation<Void, Never>?
    private var writer: CheckedContinuation<Void, Never>?

    init(_ channel: CBL2CAPChannel, _ central: Central) {
        self.channel = channel
        self.central = central
        super.init()
        channel.open(for: self)
    }

    /// The octets that have come, as soon as there are some; `nil` when the channel has ended.
    func next() async -> Data? {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            if let input = channel.inputStream, input.hasBytesAvailable {
                let count = input.read(&buffer, maxLength: buffer.count)
                if count > 0 { return Data(buffer[..<count]) }
            }
            guard !hasEnded else { return nil }
            await withCheckedContinuation { reader = $0 }
        }
    }

    /// Hands octets to the channel; those for which there is no space when it ends are dropped.
    func send(_ data: Data) async {
        var rest = [UInt8](data)[...]
        while !rest.isEmpty, !hasEnded {
            if let output = channel.outputStream, output.hasSpaceAvailable {
                let octets = Array(rest)
                let count = output.write(octets, maxLength: octets.count)
                if count > 0 {
                    rest = rest.dropFirst(count)
                    continue
                }
            }
            await withCheckedContinuation { writer = $0 }
        }
    }

    /// Waits until everything is sent, or the channel has ended.
    func waitUntilSent() async {
        await withCheckedContinuation { continuation in channel.notify(at: .sent) { continuation.resume() } }
    }

    /// Closes the channel, and waits until the device has received everything.
    ///
    /// - Throws: ``Failure`` if it does not receive everything.
    func close() async throws {
        guard !hasEnded else { return }
        let limit = central.procedureTimeout
        let late = Failure("the device did not take all data within \(SecondsText.text(limit))", .timedOut)
        let end = TimedWait()
        try await end.wait(limit, late: late) {
            self.end()
            channel.notify(at: .ended) {
                DispatchQueue.main.async { MainActor.assumeIsolated { end.end(.success(())) } }
            }
        }
        guard await central.security() != nil else {
            throw Failure("the device has disconnected before it had all data", .notConnected)
        }
    }

    /// Closes the channel without waiting.
    func end() {
        channel.close()
        noteEnd()
    }

    // MARK: Events of the streams

    func stream(_ stream: Stream, handle event: Stream.Event) {
        switch event {
        case .hasBytesAvailable: wake(&reader)
        case .hasSpaceAvailable: wake(&writer)
        case .endEncountered, .errorOccurred: noteEnd()
        default: break
        }
    }

    private func noteEnd() {
        hasEnded = true
        wake(&reader)
        wake(&writer)
    }

    private func wake(_ continuation: inout CheckedContinuation<Void, Never>?) {
        let waiting = continuation
        continuation = nil
        waiting?.resume()
    }
}
