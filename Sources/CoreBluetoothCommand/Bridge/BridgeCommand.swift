// `corebluetooth bridge`: a controller for hosts elsewhere, on a socket.

import ArgumentParser
import BluetoothAirService
import BluetoothHCI
import BluetoothTransport
import CommandLineTool
import Foundation
import Logging
import NIOCore
import NIOPosix

/// The command `corebluetooth bridge`.
struct BridgeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bridge",
        abstract: "Offer a controller on a socket, to one host at a time.",
        discussion: """
            A host reaches the controller with --adapter h4:tcp:HOST:PORT or h4:unix:PATH, as any program does that \
            speaks H4. The controller is reset before and after each host. A second host gets the answer "Connection \
            Rejected due to Limited Resources" to its first command. Anybody who reaches the socket has the \
            controller: listen on 127.0.0.1, or on a Unix socket.
            """
    )

    @Option(
        help: ArgumentHelp("The adapter: hci0, h4:serial:PATH@SPEED, air, … (default: air)", valueName: "string")
    )
    var adapter: String?

    @Option(help: ArgumentHelp("Listen at unix:PATH or tcp:HOST:PORT; port 0 is any free one.", valueName: "address"))
    var listen: String

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func validate() throws {
        _ = try Arguments.adapter(adapter)
        _ = try Arguments.listeningAddress(listen)
    }

    func run() throws {
        let (adapter, address) = (try Arguments.adapter(adapter), try Arguments.listeningAddress(listen))
        let output = OutputFormat(isJSON: json, isVerbose: false)
        MainActor.assumeIsolated { () -> Never in
            let bridge = Bridge(adapter, at: address) { event in
                DispatchQueue.main.async { MainActor.assumeIsolated { Self.report(event, adapter, output) } }
            }
            withExtendedLifetime(bridge) { Interrupts.runUntilExit() }
        }
    }

    @MainActor
    static func report(_ event: Bridge.Event, _ adapter: AdapterName, _ output: OutputFormat) {
        switch event {
        case .listening(let address):
            let name = AdapterName.h4(address).description
            output.print(
                "listening",
                [
                    ("address", .string(address.description)), ("adapter", .string(name)),
                    ("controller", .string(adapter.description)),
                ],
                line: "\(adapter) is at \(address); use it with --adapter \(name)"
            )
        case .connected(let peer):
            output.print("connected", [("peer", .string(peer))], line: "in use by \(PrintableText.text(peer))")
        case .refused(let peer):
            output.print(
                "refused",
                [("peer", .string(peer))],
                line: "refused \(PrintableText.text(peer)): one host at a time"
            )
        case .disconnected(let peer, let reason):
            output.print(
                "disconnected",
                [("peer", .string(peer)), ("reason", .string(reason))],
                line: "no longer in use by \(PrintableText.text(peer)): \(reason)"
            )
        case .failed(let reason): Ending.fail(Failure(reason))
        }
    }
}

/// A controller and its socket, on an event loop of their own.
final class Bridge: Sendable {
    /// An event of the bridge.
    enum Event: Sendable {
        case listening(StreamAddress)
        case connected(String)
        case refused(String)
        case disconnected(String, reason: String)
        case failed(String)
    }

    /// Objects that are used only on the loop.
    private struct Parts {
        var source: ControllerSource
        var controller: SharedController?
        var server: AirServer?
    }

    private let parts: NIOLoopBoundBox<Parts?>

    /// Opens the controller, then listens; `report` is called on the loop.
    init(_ adapter: AdapterName, at address: StreamAddress, report: @escaping @Sendable (Event) -> Void) {
        let eventLoop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
        let parts = NIOLoopBoundBox<Parts?>.makeEmptyBox(valueType: Parts.self, eventLoop: eventLoop)
        self.parts = parts
        @Sendable func fail(_ error: any Error) {
            report(.failed((error as? TransportError)?.message ?? String(describing: error)))
        }
        eventLoop.execute {
            let source = ControllerSource(adapter, on: eventLoop, logger: Logger(label: "bluetooth.bridge"))
            parts.value = Parts(source: source)
            source.open().assumeIsolated().whenComplete { result in
                switch result {
                case .failure(let error): fail(error)
                case .success(let channel):
                    let controller = SharedController(channel) { report(.failed("the controller is gone: \($0)")) }
                    parts.value?.controller = controller
                    Self.serve(controller, at: address, on: eventLoop).assumeIsolated().whenComplete { result in
                        switch result {
                        case .failure(let error): fail(error)
                        case .success(let server):
                            server.observer = { event in
                                if let event = Event(event) { report(event) }
                            }
                            parts.value?.server = server
                            report(.listening(server.address))
                        }
                    }
                }
            }
        }
    }

    private static func serve(
        _ controller: SharedController,
        at address: StreamAddress,
        on eventLoop: any EventLoop
    ) -> EventLoopFuture<AirServer> {
        AirServer.serve(
            on: eventLoop,
            at: address,
            limits: H4Server.Limits(connections: 1),
            // The events say who is refused.
            logger: Logger(label: "bluetooth.bridge") { _ in SwiftLogNoOpLogHandler() },
            makeController: controller.lease
        )
    }
}

extension Bridge.Event {
    /// The event at the socket; `nil` for one that concerns only an air.
    init?(_ event: AirServerEvent) {
        switch event {
        case .connected(let client): self = .connected(client.peer.description)
        case .disconnected(let client, let reason): self = .disconnected(client.peer.description, reason: reason)
        case .refused(let peer): self = .refused(peer.description)
        case .addressChanged: return nil
        }
    }
}
