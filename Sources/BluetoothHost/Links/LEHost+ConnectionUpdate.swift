// The parameters of a link: its interval, latency and supervision timeout, as the controller reports them, and its
// PHYs. A central may request others and gets the controller's answer: the event that follows the command, or the
// status with which the command was refused.

package import BluetoothHCI
public import BluetoothTypes
import NIOCore

/// The connection parameters of a link (Vol 6, Part B, 4.5.1 and 4.5.2).
public struct LinkTiming: Hashable, Sendable {
    /// The time between two connection events.
    package var interval: ConnectionInterval
    /// The number of connection events that the peripheral may skip.
    package var latency: UInt16
    /// How long the link lasts without a packet of the peer.
    package var supervisionTimeout: SupervisionTimeout

    /// Creates a timing.
    package init(interval: ConnectionInterval, latency: UInt16, supervisionTimeout: SupervisionTimeout) {
        self.interval = interval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
    }
}

/// The PHYs of a link.
public struct LinkPHYs: Hashable, Sendable {
    /// For sending.
    package var transmitter: PHY
    /// For receiving.
    package var receiver: PHY

    /// Creates a pair.
    package init(transmitter: PHY, receiver: PHY) {
        self.transmitter = transmitter
        self.receiver = receiver
    }
}

extension LEHost {
    /// The connection parameters of a link; `nil` after its end.
    package func timing(of link: LinkID) -> LinkTiming? { self.openLinks[link]?.timing }

    /// Requests other connection parameters, as a central (Vol 4, Part E, 7.8.18).
    ///
    /// - Parameters:
    ///   - link: The link.
    ///   - parameters: The wanted interval, latency and supervision timeout.
    ///   - completion: Called once with the link's new timing, or with ``LEHostError/notConnected``,
    ///     ``LEHostError/refused(_:)``, ``LEHostError/unanswered`` or ``LEHostError/controllerLost``.
    package func updateConnection(
        _ link: LinkID,
        to parameters: ConnectionParameters,
        completion: @escaping (Result<LinkTiming, LEHostError>) -> Void
    ) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else {
            return self.afterwards { completion(.failure(.notConnected)) }
        }
        self.controller.send(LEConnectionUpdate(handle: link.handle, parameters: parameters)) { result in
            switch result {
            case .success where link.isOpen: link.timingCompletions.append(completion)
            case .success: completion(.failure(.notConnected))
            case .failure(let error): completion(.failure(error))
            }
        }
    }

    /// Measures the signal strength of a link.
    /// - Parameters:
    ///   - link: The link.
    ///   - completion: Called once with the strength, which is `nil` if the controller does not know it, or with
    ///     ``LEHostError/notConnected``, ``LEHostError/refused(_:)``, ``LEHostError/unanswered``,
    ///     ``LEHostError/malformedAnswer`` or ``LEHostError/controllerLost``.
    public func readRSSI(of link: LinkID, completion: @escaping (Result<RSSI?, LEHostError>) -> Void) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else {
            return self.afterwards { completion(.failure(.notConnected)) }
        }
        self.controller.send(ReadRSSI(handle: link.handle)) { result in
            completion(result.map(\.rssi))
        }
    }

    /// Requests connection parameters: interval 7.5 ms to 4 s, latency 0 to 499 events, supervision timeout 100 ms to
    /// 32 s. A central sets them; a peripheral requests them from its central, which decides.
    package func requestConnectionParameters(_ parameters: ConnectionParameters, of link: LinkID) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else { return }
        if link.information.isCentral {
            self.controller.send(LEConnectionUpdate(handle: link.handle, parameters: parameters))
        } else {
            link.signalling.requestParameters(
                LEConnectionParameterRequest(asking: parameters),
                now: self.eventLoop.now,
                into: &link.signallingActions
            )
            self.loop.reconsiderTimer(for: link.signalling.nextDeadline)
            self.noteWork(link)
        }
    }

    /// Reads the PHYs of a link (Vol 4, Part E, 7.8.47).
    ///
    /// - Parameters:
    ///   - link: The link.
    ///   - completion: Called once with the PHYs, or with an error as ``updateConnection(_:to:completion:)``. A
    ///     controller without the command supports LE 1M only.
    package func readPHYs(of link: LinkID, completion: @escaping (Result<LinkPHYs, LEHostError>) -> Void) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else {
            return self.afterwards { completion(.failure(.notConnected)) }
        }
        guard self.controller.information.knows(LEReadPHY.self) else {
            return self.afterwards { completion(.success(LinkPHYs(transmitter: .le1M, receiver: .le1M))) }
        }
        self.controller.send(LEReadPHY(handle: link.handle)) { result in
            completion(result.map { LinkPHYs(transmitter: $0.transmitter, receiver: $0.receiver) })
        }
    }

    /// Requests other PHYs on a link (Vol 4, Part E, 7.8.49). The two controllers decide.
    ///
    /// - Parameters:
    ///   - link: The link.
    ///   - preference: The preferred PHYs in each direction.
    ///   - options: The preferred coding on LE Coded.
    ///   - completion: Called once with the link's new PHYs, or with an error as
    ///     ``updateConnection(_:to:completion:)``.
    package func setPHYs(
        of link: LinkID,
        to preference: PHYPreference,
        options: PHYOptions = .noPreference,
        completion: @escaping (Result<LinkPHYs, LEHostError>) -> Void
    ) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else {
            return self.afterwards { completion(.failure(.notConnected)) }
        }
        self.controller.send(LESetPHY(handle: link.handle, preference: preference, options: options)) { result in
            switch result {
            case .success where link.isOpen: link.phyCompletions.append(completion)
            case .success: completion(.failure(.notConnected))
            case .failure(let error): completion(.failure(error))
            }
        }
    }
}

extension HostLinks {
    /// The controller has changed a link's timing, or has failed to.
    func connectionUpdated(_ event: LEConnectionUpdateComplete) {
        guard let link = self[event.handle] else { return }
        if event.status == .success {
            link.timing = LinkTiming(
                interval: event.interval,
                latency: event.latency,
                supervisionTimeout: event.supervisionTimeout
            )
        }
        let result: Result<LinkTiming, LEHostError> =
            event.status == .success ? .success(link.timing) : .failure(.refused(event.status))
        for completion in link.timingCompletions.take() { self.loop.afterwards { completion(result) } }
    }

    /// The controllers have changed a link's PHYs, or have failed to.
    func phyUpdated(_ event: LEPHYUpdateComplete) {
        guard let link = self[event.handle] else { return }
        let result: Result<LinkPHYs, LEHostError> =
            event.status == .success
            ? .success(LinkPHYs(transmitter: event.transmitter, receiver: event.receiver))
            : .failure(.refused(event.status))
        for completion in link.phyCompletions.take() { self.loop.afterwards { completion(result) } }
    }
}

extension HostLink {
    /// Fails the requests whose events will not come any more.
    func endParameterRequests(in loop: HostLoop) {
        for completion in self.timingCompletions.take() { loop.afterwards { completion(.failure(.notConnected)) } }
        for completion in self.phyCompletions.take() { loop.afterwards { completion(.failure(.notConnected)) } }
    }
}

extension Array {
    /// Empties the array and returns what was in it.
    fileprivate mutating func take() -> Self {
        defer { self = [] }
        return self
    }
}
