// An L2CAP channel of a described peripheral: received octets are reported and sent back.

import CoreBluetooth
import Foundation

/// A channel that sends back what it receives.
@MainActor
final class EchoChannel: NSObject, @preconcurrency StreamDelegate {
    /// The most octets that wait to be sent; no more are read until then.
    private static let limit = 64 * 1024

    private let channel: CBL2CAPChannel
    private let report: (Data) -> Void
    private var waiting = Data()
    private(set) var isDone = false

    /// Serves a channel; `report` gets the received octets.
    init(_ channel: CBL2CAPChannel, report: @escaping (Data) -> Void) {
        self.channel = channel
        self.report = report
        super.init()
        channel.open(for: self)
    }

    func stream(_ stream: Stream, handle event: Stream.Event) {
        switch event {
        case .hasBytesAvailable, .hasSpaceAvailable: move()
        case .endEncountered, .errorOccurred: end()
        default: break
        }
    }

    private func move() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !isDone {
            if let output = channel.outputStream, output.hasSpaceAvailable, !waiting.isEmpty {
                let count = waiting.withUnsafeBytes { octets in
                    octets.bindMemory(to: UInt8.self).baseAddress.map { output.write($0, maxLength: octets.count) } ?? 0
                }
                guard count > 0 else { return }
                waiting = Data(waiting.dropFirst(count))
            } else if let input = channel.inputStream, input.hasBytesAvailable, waiting.count < Self.limit {
                let count = input.read(&buffer, maxLength: buffer.count)
                guard count > 0 else { return }
                report(Data(buffer[..<count]))
                waiting += buffer[..<count]
            } else {
                return
            }
        }
    }

    private func end() {
        guard !isDone else { return }
        isDone = true
        // Octets that came before the end may wait for those that were to be sent back first.
        var buffer = [UInt8](repeating: 0, count: 4096)
        while let input = channel.inputStream, input.hasBytesAvailable {
            let count = input.read(&buffer, maxLength: buffer.count)
            guard count > 0 else { break }
            report(Data(buffer[..<count]))
        }
        channel.close()
    }
}
