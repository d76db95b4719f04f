// Carries octets between an L2CAP channel and an input and an output. Each side waits for the other: the input is not
// read while the channel has no credits, and the channel is not read while the output does not take what came.

import CommandLineTool
import CoreBluetooth
import Foundation

/// A channel between an input and an output.
@MainActor
final class ChannelRelay: NSObject, @preconcurrency StreamDelegate {
    private let channel: CBL2CAPChannel
    private let central: Central
    private let finished = TimedWait()
    private var isClosed = false
    private var reader: CheckedContinuation<Void, Never>?
    private var writer: CheckedContinuation<Void, Never>?
    private var quiet: (seconds: TimeInterval, deadline: Deadline)?

    init(_ channel: CBL2CAPChannel, _ central: Central) {
        self.channel = channel
        self.central = central
        super.init()
        channel.open(for: self)
    }

    /// Carries octets until the device closes the channel, or until the input has ended and nothing has come for a
    /// time.
    ///
    /// - Parameters:
    ///   - quietTime: That time, in seconds.
    ///   - write: Writes what has come to the output.
    /// - Throws: ``Failure`` if the connection is lost, and what the input or the output throws.
    func run<Input: AsyncSequence & Sendable>(
        _ input: Input,
        quietTime: TimeInterval,
        write: @escaping @Sendable (Data) async throws -> Void
    ) async throws where Input.Element == Data {
        let peripheral = central.peripheral
        let onDisconnection = central.onDisconnection
        central.onDisconnection = { [finished] reason in
            let name = peripheral.map(Central.name) ?? "the device"
            finished.end(.failure(Failure("\(name) has disconnected: \(reason)", .notConnected)))
            onDisconnection?(reason)
        }
        let receiving = Task { await self.receive(write) }
        let sending = Task { await self.send(input, quietTime) }
        defer {
            central.onDisconnection = onDisconnection
            quiet?.deadline.cancel()
            channel.close()
            noteEnd()
            receiving.cancel()
            sending.cancel()
        }
        try await finished.wait(nil, late: Failure("")) {}
    }

    private func receive(_ write: @Sendable (Data) async throws -> Void) async {
        do {
            while let data = await next() {
                quiet?.deadline.cancel()
                try await write(data)
                if let quiet { startQuiet(quiet.seconds) }
            }
            // A lost connection closes the channel first, and is reported then.
            if await central.security() != nil { end(.success(())) }
        } catch {
            end(.failure(error))
        }
    }

    private func send<Input: AsyncSequence>(_ input: Input, _ quietTime: TimeInterval) async
    where Input.Element == Data {
        do {
            for try await data in input { await send(data) }
            startQuiet(quietTime)
        } catch {
            end(.failure(error))
        }
    }

    private func end(_ result: Result<Void, any Error>) {
        if finished.isWaiting { finished.end(result) }
    }

    private func startQuiet(_ seconds: TimeInterval) {
        quiet?.deadline.cancel()
        quiet = (seconds, Deadline(after: seconds) { [weak self] in self?.end(.success(())) })
    }

    // MARK: The channel

    /// The octets that have come, as soon as there are some; `nil` when the channel is closed.
    private func next() async -> Data? {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            if let input = channel.inputStream, input.hasBytesAvailable {
                let count = input.read(&buffer, maxLength: buffer.count)
                if count > 0 { return Data(buffer[..<count]) }
            }
            guard !isClosed else { return nil }
            await withCheckedContinuation { reader = $0 }
        }
    }

    private func send(_ data: Data) async {
        var rest = [UInt8](data)[...]
        while !rest.isEmpty, !isClosed {
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

    func stream(_ stream: Stream, handle event: Stream.Event) {
        switch event {
        case .hasBytesAvailable: wakeReader()
        case .hasSpaceAvailable: wakeWriter()
        case .endEncountered, .errorOccurred: noteEnd()
        default: break
        }
    }

    private func wakeReader() {
        reader?.resume()
        reader = nil
    }

    private func wakeWriter() {
        writer?.resume()
        writer = nil
    }

    private func noteEnd() {
        isClosed = true
        wakeReader()
        wakeWriter()
    }
}
