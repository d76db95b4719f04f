// `corebluetooth channel`: an L2CAP channel of a device as a pipe, or behind a socket.

import ArgumentParser
import BluetoothTransport
import CommandLineTool
import CoreBluetooth
import Foundation
import NIOCore
import NIOPosix

/// The command `corebluetooth channel`.
struct ChannelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channel",
        abstract: "Open an L2CAP channel of a device, between standard input and standard output or behind a socket.",
        discussion: """
            Standard input is sent on the channel, and received octets are written to standard output. The command \
            ends when the device closes the channel, or when standard input has ended, everything is sent, and nothing \
            has been received for the time of --wait. With --listen each client of the socket gets a channel, one \
            client after the other.
            """
    )

    @OptionGroup var device: DeviceOptions

    @Argument(help: "The PSM of the channel, such as 128 or 0x80.")
    var psm: String

    @Option(
        help: ArgumentHelp("Listen at tcp:HOST:PORT or unix:PATH; port 0 is any free one.", valueName: "address")
    )
    var listen: String?

    @OptionGroup var quiet: QuietTimeOptions

    @OptionGroup var radio: RadioOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        _ = try Arguments.psm(psm)
        if let listen { _ = try Arguments.listeningAddress(listen) }
    }

    func run() throws {
        let address = try listen.map(Arguments.listeningAddress)
        let (psm, wait, output) = (try Arguments.psm(psm), quiet.wait, output.format)
        try device.run(radio, output) { central, peripheral in
            guard let address else {
                let pipe = ChannelRelay(try await central.openChannel(psm), central)
                return try await pipe.run(
                    StandardStreams.input,
                    quietTime: wait,
                    write: StandardStreams.write
                )
            }
            try await ChannelServer(central, peripheral, psm, wait, output).run(at: address)
        }
    }
}

extension Arguments {
    /// The number of a PSM; those of LE are dynamic from 0x80, and assigned below (Vol 3, Part A, 4.22).
    static func psm(_ text: String) throws -> CBL2CAPPSM {
        let value = text.lowercased().hasPrefix("0x") ? UInt16(text.dropFirst(2), radix: 16) : UInt16(text)
        guard let value, (1...0xFF).contains(value) else {
            throw ValidationError("\"\(text)\" is no PSM: write a number from 1 to 255, or 0x80.")
        }
        return value
    }
}

/// Gives each client of a socket a channel, one client after the other.
@MainActor
struct ChannelServer {
    private let central: Central
    private let peripheral: CBPeripheral
    private let psm: CBL2CAPPSM
    private let wait: TimeInterval
    private let output: OutputFormat

    init(
        _ central: Central,
        _ peripheral: CBPeripheral,
        _ psm: CBL2CAPPSM,
        _ wait: TimeInterval,
        _ output: OutputFormat
    ) {
        (self.central, self.peripheral, self.psm) = (central, peripheral, psm)
        (self.wait, self.output) = (wait, output)
    }

    /// Serves until the connection to the device is lost.
    func run(at address: StreamAddress) async throws {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        let wrap: @Sendable (any Channel) -> EventLoopFuture<NIOAsyncChannel<ByteBuffer, ByteBuffer>> = { channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel(
                    wrappingChannelSynchronously: channel,
                    configuration: .init(isOutboundHalfClosureEnabled: true)
                )
            }
        }
        let server: NIOAsyncChannel<NIOAsyncChannel<ByteBuffer, ByteBuffer>, Never>
        do {
            server =
                switch address {
                case .tcp(let host, let port):
                    try await bootstrap.bind(host: host, port: port, childChannelInitializer: wrap)
                case .unix(let path):
                    try await bootstrap.bind(SocketFile.serve(at: path), childChannelInitializer: wrap)
                }
        } catch {
            throw Failure("cannot listen at \(address): \(error)")
        }
        let bound = StreamAddress(server.channel.localAddress, like: address)
        output.print(
            "listening",
            Record.head(peripheral) + [("address", .string(bound.description)), ("psm", .integer(Int(psm)))],
            line: "the channel \(psm) of \(Central.name(peripheral)) is at \(bound)"
        )
        central.onDisconnection = { [central, peripheral] reason in
            let line = "\(Central.name(peripheral)) has disconnected: \(reason)"
            central.output.fail(central.failure(for: Failure(line, .notConnected), device: ""))
        }
        try await server.executeThenClose { clients in
            for try await client in clients { await serve(client) }
        }
    }

    private func serve(_ client: NIOAsyncChannel<ByteBuffer, ByteBuffer>) async {
        do {
            let pipe = ChannelRelay(try await central.openChannel(psm), central)
            output.print("opened", Record.head(peripheral) + [("psm", .integer(Int(psm)))], line: nil)
            let wait = wait
            try await client.executeThenClose { inbound, outbound in
                try await pipe.run(inbound.map { Data($0.readableBytesView) }, quietTime: wait) { data in
                    try await outbound.write(ByteBuffer(bytes: data))
                }
            }
        } catch {
            Console.warn("a client was disconnected: \(ErrorText.text(error))")
        }
        output.print("closed", Record.head(peripheral) + [("psm", .integer(Int(psm)))], line: nil)
    }
}

extension StreamAddress {
    /// The address that a listening socket has got, for a port that anyone may have been.
    fileprivate init(_ bound: SocketAddress?, like address: StreamAddress) {
        guard case .tcp(let host, _) = address, let port = bound?.port else {
            self = address
            return
        }
        self = .tcp(host: host, port: port)
    }
}

/// Standard input and output as octets, each on a thread that may block.
enum StandardStreams {
    private static let outputQueue = DispatchQueue(label: "corebluetooth.output")
    private static let chunk = 64 * 1024

    /// The data from standard input.
    static var input: AsyncThrowingStream<Data, any Error> { octets(of: STDIN_FILENO, "standard input") }

    /// The data from an open file.
    static func octets(of file: Int32, _ name: String) -> AsyncThrowingStream<Data, any Error> {
        let queue = DispatchQueue(label: "corebluetooth.input")
        return AsyncThrowingStream {
            try await withCheckedThrowingContinuation { continuation in
                queue.async {
                    var octets = [UInt8](repeating: 0, count: chunk)
                    var count = read(file, &octets, chunk)
                    while count < 0, errno == EINTR || errno == EAGAIN {
                        var wanted = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
                        _ = poll(&wanted, 1, -1)
                        count = read(file, &octets, chunk)
                    }
                    guard count >= 0 else {
                        let reason = String(cString: strerror(errno))
                        return continuation.resume(throwing: Failure("cannot read \(name): \(reason)"))
                    }
                    continuation.resume(returning: count == 0 ? nil : Data(octets[..<count]))
                }
            }
        }
    }

    /// Writes to standard output; a reader that has left ends the program.
    static func write(_ data: Data) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            outputQueue.async {
                continuation.resume(with: Result { try FileHandle.standardOutput.write(contentsOf: data) })
            }
        }
    }
}
