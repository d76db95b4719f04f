// The central's side of the benchmark's L2CAP channel: sends all, and waits for the octet that confirms it; or gets
// all.

import CommandLineTool
import CoreBluetooth
import Foundation

/// One transfer on a channel.
@MainActor
final class BenchmarkChannel: NSObject, @preconcurrency StreamDelegate {
    private let channel: CBL2CAPChannel
    private let progress: ProgressLine
    private let total: Int
    /// The first octets that are written.
    private var rest: Data
    /// The number of octets to send after it.
    private var unsent: Int
    /// The number of octets still to come.
    private var awaited: Int
    private let done = TimedWait()
    private var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    private static let chunk = Data(repeating: 0x2A, count: 64 * 1024)

    /// - Parameters:
    ///   - octets: The number of octets, at least 1.
    ///   - isToDevice: Whether to send them, rather than receive them.
    init(_ channel: CBL2CAPChannel, octets: Int, isToDevice: Bool, progress: ProgressLine) {
        self.channel = channel
        self.progress = progress
        total = octets
        rest = (isToDevice ? UInt64(octets) : UInt64(octets) | BenchmarkService.sendsBit).littleEndianData
        unsent = isToDevice ? octets : 0
        awaited = isToDevice ? 1 : octets
        super.init()
    }

    /// Performs the transfer and closes the channel.
    func run() async throws {
        defer { channel.close() }
        try await done.wait(600, late: Failure("the channel did not carry \(self.total) octets within 600 s")) {
            channel.open(for: self)
        }
    }

    func stream(_ stream: Stream, handle event: Stream.Event) {
        switch event {
        case .hasSpaceAvailable: send()
        case .hasBytesAvailable: receive()
        case .endEncountered, .errorOccurred: done.end(.failure(Failure("the channel was closed")))
        default: break
        }
    }

    private func receive() {
        while awaited > 0, let input = channel.inputStream, input.hasBytesAvailable {
            let count = input.read(&buffer, maxLength: buffer.count)
            guard count > 0 else { return }
            awaited -= count
            if awaited > 0 { progress.update(total - awaited) }
            if awaited <= 0 { done.end(.success(())) }
        }
    }

    private func send() {
        while let output = channel.outputStream, output.hasSpaceAvailable {
            if rest.isEmpty {
                guard unsent > 0 else { return }
                progress.update(total - unsent)
                rest = Self.chunk.prefix(unsent)
                unsent -= rest.count
            }
            let count = rest.withUnsafeBytes { octets in
                octets.bindMemory(to: UInt8.self).baseAddress.map { output.write($0, maxLength: octets.count) } ?? 0
            }
            guard count > 0 else { return }
            rest = Data(rest.dropFirst(count))
        }
    }
}
