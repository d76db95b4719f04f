// The program of the page "A controller behind a socket", which is
// BluetoothTransport.docc/ControllerBehindASocket.md.

import BluetoothHCI
import BluetoothTransport
import NIOCore

/// Asks a controller for its version.
final class VersionReader: HCIChannelReceiver {
    private let version: EventLoopPromise<CoreVersion>

    private init(_ version: EventLoopPromise<CoreVersion>) { self.version = version }

    /// The version of the controller at `address`; `eventLoop` is one of SwiftNIO's socket loops.
    static func version(
        of address: StreamAddress,
        on eventLoop: any EventLoop
    ) -> EventLoopFuture<CoreVersion> {
        eventLoop.flatSubmit {
            H4Channel.connect(to: address, on: eventLoop).assumeIsolated().flatMap { channel in
                let reader = VersionReader(eventLoop.makePromise())
                channel.start(receiver: reader)
                channel.send(Reset().packet())
                return reader.version.futureResult.assumeIsolated()
                    .always { _ in
                        // A channel does not retain its receiver.
                        withExtendedLifetime(reader) { channel.close() }
                    }
                    .nonisolated()
            }
            .nonisolated()
        }
    }

    func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
        guard case .commandComplete(let event)? = try? HCIEvent(packet) else { return }
        if event.opcode == Reset.opcode {
            channel.send(ReadLocalVersionInformation().packet())
        } else if let answer = try? event.returned(by: ReadLocalVersionInformation.self) {
            self.version.succeed(answer.hciVersion)
        }
    }

    func channelDidFinishBatch(_ channel: any HCIChannel) {}

    func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {
        self.version.fail(TransportError(.closed, reason))
    }
}
