// Opens the controller of an adapter and interviews it, on an event loop of its own.

import BluetoothAirService
import BluetoothHCI
import BluetoothHost
import BluetoothTransport
import CommandLineTool
import Logging
import NIOCore
import NIOPosix

/// An interview with a real controller. All members are used on its event loop.
final class ControllerProbe: HCIChannelReceiver {
    /// The time in which a controller must answer a command.
    static let commandTimeout = TimeAmount.seconds(5)

    private let source: ControllerSource
    private let timeout: TimeAmount
    private var interview: ControllerInterview
    private var channel: (any HCIChannel)?
    private var timer: Scheduled<Void>?
    private var finish: ((Result<ControllerReport, Failure>) -> Void)?

    private init(
        _ adapter: AdapterName,
        roundTrips: Int,
        timeout: TimeAmount,
        on eventLoop: any EventLoop,
        finish: @escaping (Result<ControllerReport, Failure>) -> Void
    ) {
        source = ControllerSource(adapter, on: eventLoop, logger: Logger(label: "bluetooth.controller"))
        interview = ControllerInterview(roundTrips: roundTrips)
        self.timeout = timeout
        self.finish = finish
    }

    /// Interviews the controller of an adapter; `finish` is called once, on the event loop.
    ///
    /// - Parameter timeout: The time in which the controller must answer a command.
    static func start(
        _ adapter: AdapterName,
        roundTrips: Int,
        timeout: TimeAmount = ControllerProbe.commandTimeout,
        finish: @escaping @Sendable (Result<ControllerReport, Failure>) -> Void
    ) {
        let eventLoop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
        eventLoop.execute {
            var probe: ControllerProbe?
            probe = ControllerProbe(adapter, roundTrips: roundTrips, timeout: timeout, on: eventLoop) { result in
                // The interview holds itself until it ends.
                probe = nil
                finish(result)
            }
            probe?.open()
        }
    }

    private func open() {
        source.open().assumeIsolated().whenComplete { [self] result in
            switch result {
            case .success(let channel):
                self.channel = channel
                channel.start(receiver: self)
                ask()
            case .failure(let error):
                end(.failure(Failure((error as? TransportError)?.message ?? String(describing: error))))
            }
        }
    }

    private func ask() {
        guard let channel else { return }
        guard let packet = interview.next(now: .now()) else { return end(.success(interview.report)) }
        channel.send(packet)
        timer = source.eventLoop.assumeIsolated().scheduleTask(in: timeout) { [weak self] in
            self?.timeOut()
        }
    }

    private func timeOut() {
        guard interview.timeOut() else {
            return end(.failure(Failure("the controller does not answer HCI Reset; check that it is connected")))
        }
        ask()
    }

    private func end(_ result: Result<ControllerReport, Failure>) {
        timer?.cancel()
        channel?.close()
        channel = nil
        source.close()
        let finish = finish
        self.finish = nil
        finish?(result)
    }

    func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
        guard interview.receive(packet, now: .now()) else { return }
        timer?.cancel()
        if let refusal = interview.refusal {
            let reason =
                refusal == .unknownCommand
                ? "it lacks its firmware: \(ControllerInformation.firmwareAdvice(for: interview.report.version))"
                : "\(refusal)"
            return end(.failure(Failure("the controller refuses HCI Reset: \(reason)")))
        }
        ask()
    }

    func channelDidFinishBatch(_ channel: any HCIChannel) {}

    func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {
        end(.failure(Failure("the controller is gone: \(reason)")))
    }
}
