// Writes without response of our host to a device: calls of BlueZ, or packets of a socket when there are several in a
// row. Our host is held back while BlueZ is behind.

import BluetoothHost
import Logging
import NIOCore

extension DeviceMirror {
    /// The maximum number of writes without response that wait at BlueZ.
    private static let commandLimit = 64

    func host(_ host: LEHost, link: LinkID, didReceiveWriteCommand value: ByteBuffer, to handle: AttributeHandle) {
        guard case .value(let path, _)? = self.attributes[handle] else { return }
        let stream = self.stream(path)
        switch stream.write(value) {
        case .taken: break
        case .acquire: self.acquire(path, stream)
        case .call: self.writeCommand(value, path)
        }
        self.pauseIfFull(link)
    }

    /// Our host waits while BlueZ is behind.
    private func pauseIfFull(_ link: LinkID) {
        guard !self.isPaused, self.openCommands >= Self.commandLimit || self.streams.values.contains(where: \.isFull)
        else { return }
        self.isPaused = true
        self.host.pauseReceiving(on: link)
    }

    private func resume() {
        guard self.isPaused, let link = self.link, self.openCommands <= Self.commandLimit / 2,
            !self.streams.values.contains(where: \.isFull)
        else { return }
        self.isPaused = false
        self.host.resumeReceiving(on: link)
    }

    private func stream(_ path: String) -> CommandStream {
        if let stream = self.streams[path] { return stream }
        let stream = CommandStream()
        self.streams[path] = stream
        self.releaseAfterPause(stream, path)
        return stream
    }

    private func releaseAfterPause(_ stream: CommandStream, _ path: String) {
        let count = stream.writeCount
        self.host.eventLoop.assumeIsolated().scheduleTask(in: CommandStream.pause) { [weak self] () -> Void in
            guard let self, self.streams[path] === stream else { return }
            guard stream.writeCount == count, stream.isDrained else { return self.releaseAfterPause(stream, path) }
            stream.release()
            self.streams[path] = nil
        }
    }

    /// Asks for the socket, and asks again while another program has it.
    private func acquire(_ path: String, _ stream: CommandStream, since start: NIODeadline? = nil) {
        guard self.streams[path] === stream else { return }
        let start = start ?? self.host.eventLoop.now
        self.calls.call(path, BlueZ.characteristic, "AcquireWrite", [.properties([:])]) { [weak self] result in
            guard let self else { return }
            if case .failure(let failure) = result, failure.attributeError(isRead: false) == .busy,
                self.host.eventLoop.now - start < Self.busyLimit
            {
                self.host.eventLoop.assumeIsolated().scheduleTask(in: Self.retryDelay) { [weak self] () -> Void in
                    self?.acquire(path, stream, since: start)
                }
                return
            }
            let arguments = (try? result.get())?.arguments
            let socket = arguments?.first?.descriptor.flatMap { descriptor in
                PacketSocket.adopt(
                    descriptor,
                    on: self.host.eventLoop,
                    ended: { [weak self] in
                        self?.streams[path] = nil
                        self?.resume()
                    },
                    emptied: { [weak self] in self?.resume() }
                )
            }
            let mtu = (arguments?.last?.uint16).map(Int.init) ?? ATT.defaultMTU
            for value in stream.acquired(socket, limit: mtu - 3) { self.writeCommand(value, path) }
            self.resume()
        }
    }

    private func writeCommand(_ value: ByteBuffer, _ path: String) {
        self.openCommands += 1
        let arguments: [BusValue] = [.bytes(value), .properties(["type": .string("command")])]
        self.calls.call(path, BlueZ.characteristic, "WriteValue", arguments, timeout: Self.requestTimeout) {
            [weak self] result in
            guard let self else { return }
            if case .failure(let failure) = result { self.commandFailed(value, path, failure) }
            self.commandEnded()
        }
    }

    private func commandFailed(_ value: ByteBuffer, _ path: String, _ failure: BusFailure) {
        // What waits fails when the device or the bus is lost, which is reported by itself.
        guard self.link != nil, failure != .closed, failure.connectOutcome != .unknownDevice else { return }
        let stream = self.stream(path)
        let route = failure.attributeError(isRead: false) == .busy ? stream.returned(value) : nil
        switch route {
        case .acquire?: self.acquire(path, stream)
        case .taken?, .call?: break
        case nil: Self.log.warning("BlueZ has not sent a write without response: \(failure.text.onOneLine)")
        }
    }

    private func commandEnded() {
        self.openCommands -= 1
        self.resume()
    }
}
