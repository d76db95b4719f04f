// `corebluetooth uart`: the serial line of a device as a pipe or a pseudo-terminal. No service of the Bluetooth SIG has
// one; most devices have Nordic's, or another service with one characteristic to write and one that notifies.

import ArgumentParser
import CommandLineTool
import CoreBluetooth
import Foundation

/// The command `corebluetooth uart`.
struct UARTCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uart",
        abstract: "Use the UART of a device, between standard input and standard output or as a pseudo-terminal.",
        discussion: """
            Standard input is written to the RX characteristic, and what the TX characteristic notifies is written to \
            standard output. They are those of the Nordic UART Service unless others are named, such as --service FFE0 \
            --rx FFE1 --tx FFE1. The command ends when the connection is lost, or when standard input has ended and \
            nothing has been received for the time of --wait. With --pty it prints the path of a pseudo-terminal, \
            which a terminal program opens like a serial port, and goes on until it is interrupted.
            """
    )

    @OptionGroup var device: DeviceOptions

    @Option(help: ArgumentHelp("The service with both characteristics.", valueName: "uuid"))
    var service = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"

    @Option(help: ArgumentHelp("The characteristic that is written.", valueName: "uuid"))
    var rx = "6E400002-B5A3-F393-E0A9-E50E24DCCA9E"

    @Option(help: ArgumentHelp("The characteristic that notifies.", valueName: "uuid"))
    var tx = "6E400003-B5A3-F393-E0A9-E50E24DCCA9E"

    @Flag(help: "Make a pseudo-terminal instead of using standard input and output.")
    var pty = false

    @OptionGroup var quiet: QuietTimeOptions

    @OptionGroup var radio: RadioOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        _ = try Arguments.uuid(service)
        _ = try [rx, tx].map { try AttributeQuery($0) }
    }

    func run() throws {
        let (service, rx, tx) = (try Arguments.uuid(service), try AttributeQuery(rx), try AttributeQuery(tx))
        let (usesTerminal, wait, output) = (pty, quiet.wait, output.format)
        try device.run(radio, output) { central, peripheral in
            let connection = DeviceConnection(central, peripheral, output: output)
            let relay = try await UARTRelay(connection, service: service, rx: rx, tx: tx)
            guard usesTerminal else {
                return try await relay.run(StandardStreams.input, quietTime: wait) { data in
                    try FileHandle.standardOutput.write(contentsOf: data)
                }
            }
            let terminal = try PseudoTerminal()
            output.print(
                "terminal",
                Record.head(peripheral) + [("path", .string(terminal.path))],
                line: "the UART of \(Central.name(peripheral)) is at \(terminal.path); Ctrl-C ends it"
            )
            try await relay.run(terminal.input, quietTime: nil, write: terminal.send)
        }
    }
}

/// The UART of a device between an input and an output.
@MainActor
final class UARTRelay {
    private let connection: DeviceConnection
    private let rx: CBCharacteristic
    private let tx: CBCharacteristic
    private let finished = TimedWait()
    private let quiet: QuietTime

    /// - Parameters:
    ///   - rx: The characteristic that is written.
    ///   - tx: The characteristic that notifies.
    /// - Throws: ``Failure`` if the device has no such UART.
    init(_ connection: DeviceConnection, service: CBUUID, rx: AttributeQuery, tx: AttributeQuery) async throws {
        func find(_ query: AttributeQuery) async throws -> CBCharacteristic {
            if let found = try await connection.characteristic(query, of: service) { return found }
            throw Failure.missing(characteristic: query.text, service: service.uuidString)
        }
        self.connection = connection
        self.quiet = QuietTime { [finished] in finished.end(.success(())) }
        self.rx = try await find(rx)
        self.tx = try await find(tx)
    }

    /// Carries octets until the connection is lost, or until the input has ended and nothing has come for a time.
    ///
    /// - Parameters:
    ///   - quietTime: That time, in seconds; `nil` to go on.
    ///   - write: Writes what has come to the output; nothing more is received meanwhile.
    /// - Throws: ``Failure`` if the connection is lost, and what the input or the output throws.
    func run<Input: AsyncSequence & Sendable>(
        _ input: Input,
        quietTime: TimeInterval?,
        write: @escaping @MainActor (Data) throws -> Void
    ) async throws where Input.Element == Data {
        connection.onLoss = { [finished, connection] reason in
            let name = Central.name(connection.peripheral)
            finished.end(.failure(Failure("\(name) has disconnected: \(reason)", .notConnected)))
        }
        try await connection.subscribe(to: tx) { [weak self] data, _ in
            do { try write(data) } catch { self?.finished.end(.failure(error)) }
            self?.quiet.restart()
        }
        let sending = Task {
            do {
                for try await data in input { try await send(data) }
                // An answer has passed the writes without response before it.
                _ = try await connection.central.readStrength()
                if let quietTime { quiet.begin(quietTime) }
            } catch {
                finished.end(.failure(error))
            }
        }
        defer {
            quiet.pause()
            sending.cancel()
        }
        try await finished.wait(nil, late: Failure("")) {}
    }

    /// Writes octets in pieces that one packet carries, each as soon as it can be sent.
    private func send(_ data: Data) async throws {
        let type: CBCharacteristicWriteType =
            rx.properties.contains(.writeWithoutResponse) ? .withoutResponse : .withResponse
        var rest = data
        while !rest.isEmpty {
            if type == .withoutResponse { try await connection.central.waitForWritability() }
            let piece = rest.prefix(connection.peripheral.maximumWriteValueLength(for: .withoutResponse))
            switch type {
            case .withoutResponse: try await connection.central.writeWithoutResponse(piece, to: rx)
            case .withResponse: try await connection.central.write(piece, to: rx)
            }
            rest = rest.dropFirst(piece.count)
        }
    }
}
