// Carries octets between an L2CAP channel and an input and an output. Each side waits for the other: the input is not
// read while the channel has no credits, and the channel is not read while the output does not take what came.

import CommandLineTool
import CoreBluetooth
import Foundation

/// A channel between an input and an output.
@MainActor
final class ChannelRelay {
    private let channel: OpenChannel
    private let central: Central
    private let finished = TimedWait()
    private let quiet: QuietTime

    init(_ channel: CBL2CAPChannel, _ central: Central) {
        self.channel = OpenChannel(channel, central)
        self.central = central
        quiet = QuietTime { [finished] in finished.end(.success(())) }
    }

    /// Carries octets until the device closes the channel, or until everything is sent after the end of the input and
    /// nothing has come for a time. The device then has received everything.
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
            quiet.pause()
            channel.end()
            receiving.cancel()
            sending.cancel()
        }
        try await finished.wait(nil, late: Failure("")) {}
        try await channel.close()
    }

    private func receive(_ write: @Sendable (Data) async throws -> Void) async {
        do {
            while let data = await channel.next() {
                quiet.pause()
                try await write(data)
                quiet.restart()
            }
            // A lost connection closes the channel first, and is reported then.
            if await central.security() != nil { finished.end(.success(())) }
        } catch {
            finished.end(.failure(error))
        }
    }

    private func send<Input: AsyncSequence>(_ input: Input, _ quietTime: TimeInterval) async
    where Input.Element == Data {
        do {
            for try await data in input { await channel.send(data) }
            await channel.waitUntilSent()
            quiet.begin(quietTime)
        } catch {
            finished.end(.failure(error))
        }
    }
}
