// Answers of a scripted device to reads and writes: from its closures, from a capture, or else from its values.

import BluetoothHost
import CoreBluetooth
import NIOCore

extension ScriptPlayer {
    // MARK: Reading

    func host(_ host: LEHost, didReceiveReadRequest request: GATTReadRequest) {
        if let descriptor = self.descriptors[request.handle] {
            guard !descriptor.definition.isUnseen else {
                self.device.reportMistake(
                    "the capture has no value for descriptor \(descriptor.definition.uuid.uuidString); "
                        + "read it while recording"
                )
                return host.respond(to: request.id, with: .failure(.unlikelyError))
            }
            return self.answer(request, descriptor.definition.onRead)
        }
        guard let entry = self.entries[request.handle] else {
            return host.respond(to: request.id, with: .failure(.unlikelyError))
        }
        if self.meet(.onRead(of: entry.definition.uuid), on: request.link) { return }
        self.answer(request, entry.definition.onRead)
    }

    private func answer(_ request: GATTReadRequest, _ onRead: ((ScriptedDevice) -> ScriptedPeripheral.Answer)?) {
        // The first request of a long read determines the value.
        if request.offset > 0, let value = self.answeredValues[request.link]?[request.handle] {
            return self.respond(to: request, with: value)
        }
        let answer: ScriptedPeripheral.Answer
        if let onRead {
            self.answeredValues[request.link]?[request.handle] = nil
            answer = onRead(self.device)
        } else if request.offset == 0, self.entries[request.handle]?.replay != nil {
            answer = self.recordedAnswer(toReadOf: request.handle)
        } else {
            answer = .success
        }
        self.answer(answer) { [weak self] content in
            guard let self else { return }
            switch content {
            case .noResponse, .later: return
            case .error(let code): self.host.respond(to: request.id, with: .failure(ATTErrorCode(code)))
            case .value(let value): self.respond(to: request, with: value, keeping: onRead != nil)
            case .success:
                self.respond(to: request, with: self.value(at: request.handle), keeping: onRead != nil)
            }
        }
    }

    /// - Parameter keepsValue: Whether to answer the further requests of a long read with the same value.
    private func respond(to request: GATTReadRequest, with value: Data, keeping keepsValue: Bool = false) {
        if keepsValue, self.links.contains(request.link) {
            self.answeredValues[request.link, default: [:]][request.handle] = value
        }
        guard request.offset <= value.count else {
            return self.host.respond(to: request.id, with: .failure(.invalidOffset))
        }
        self.host.respond(to: request.id, with: .success(ByteBuffer(bytes: value.dropFirst(request.offset))))
    }

    // MARK: Writing

    func host(_ host: LEHost, didReceiveWriteRequest request: GATTWriteRequest) {
        if request.id == nil, !self.takeIntoBuffer() { return }
        guard self.areOffsetsValid(request) else {
            if let id = request.id { host.respond(to: id, error: .invalidOffset) }
            return
        }
        // The answer to all parts: the first error, or else the latest success.
        var answer: ScriptedPeripheral.Answer = .success
        var follows: [() -> Void] = []
        parts: for part in request.parts {
            let octets = Data(part.value.readableBytesView)
            let value = self.value(at: part.handle).writing(octets, at: part.offset) ?? octets
            var own: ScriptedPeripheral.Answer = .success
            if let descriptor = self.descriptors[part.handle] {
                own = descriptor.definition.onWrite?(value, self.device) ?? own
            } else if let characteristic = self.configurations[part.handle] {
                own = self.answer(toConfiguration: value, of: characteristic)
            } else if let entry = self.entries[part.handle] {
                self.device.writes.append(
                    .init(
                        characteristic: entry.definition.uuid,
                        value: value,
                        type: request.id == nil ? .withoutResponse : .withResponse
                    )
                )
                if self.meet(.onWrite(to: entry.definition.uuid), on: request.link) { return }
                if let onWrite = entry.definition.onWrite {
                    own = onWrite(value, self.device)
                } else if entry.replay != nil {
                    let recorded = self.recordedAnswer(toWriteOf: value, to: part.handle)
                    own = recorded.answer
                    if let follow = recorded.follow { follows.append(follow) }
                }
            }
            switch own.content {
            case .success, .value:
                self.setValue(value, at: part.handle)
                if own.delay > answer.delay { answer = own }
            case .error, .noResponse, .later:
                answer = own
                break parts
            }
        }
        self.answer(answer) { [weak self] content in
            if case .later = content { return }
            if let id = request.id {
                switch content {
                case .noResponse, .later: break
                case .error(let code): host.respond(to: id, error: ATTErrorCode(code))
                case .success, .value: host.respond(to: id, error: nil)
                }
            }
            // An answer that came later takes the value only now.
            if case .later = answer.content { self?.take(request, content) }
            for follow in follows { follow() }
        }
    }

    private func take(_ request: GATTWriteRequest, _ content: ScriptedPeripheral.Answer.Content) {
        switch content {
        case .error, .noResponse, .later: return
        case .success, .value: break
        }
        for part in request.parts {
            let octets = part.value.readableBytesView
            let value = self.value(at: part.handle).writing(octets, at: part.offset) ?? Data(octets)
            self.setValue(value, at: part.handle)
        }
    }

    /// The answer to a write of a Client Characteristic Configuration: no central is kept from ending a subscription.
    private func answer(toConfiguration value: Data, of handle: AttributeHandle) -> ScriptedPeripheral.Answer {
        guard value.first.map({ $0 & 0x03 != 0 }) == true,
            let request = self.entries[handle]?.definition.onSubscriptionRequest
        else { return .success }
        return request(self.device)
    }

    /// Whether no part begins after the end of the value that earlier parts leave (Vol 3, Part F, 3.4.6.3). If there is
    /// a gap, no part is written.
    private func areOffsetsValid(_ request: GATTWriteRequest) -> Bool {
        var values: [AttributeHandle: Data] = [:]
        return request.parts.allSatisfy { part in
            values[part.handle] = (values[part.handle] ?? self.value(at: part.handle))
                .writing(part.value.readableBytesView, at: part.offset)
            return values[part.handle] != nil
        }
    }

    /// Takes space in the buffer for a write without response; returns `false` if there is none.
    private func takeIntoBuffer() -> Bool {
        guard let buffer = self.device.script.writeBuffer else { return true }
        guard self.bufferedWrites < buffer.capacity else {
            self.device.note("drops a write without response: it has no space")
            return false
        }
        self.bufferedWrites += 1
        self.host.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(buffer.processingTime)) { [weak self] in
            guard let self else { return }
            self.bufferedWrites = max(0, self.bufferedWrites - 1)
        }
        return true
    }

    // MARK: Answers

    /// Carries out an answer after its delay, and after the closure has provided it.
    private func answer(
        _ answer: ScriptedPeripheral.Answer,
        _ respond: @escaping (ScriptedPeripheral.Answer.Content) -> Void
    ) {
        guard answer.delay > .zero else { return self.carryOut(answer.content, respond) }
        self.host.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(answer.delay)) { [weak self] in
            self?.carryOut(answer.content, respond)
        }
    }

    private func carryOut(
        _ content: ScriptedPeripheral.Answer.Content,
        _ respond: @escaping (ScriptedPeripheral.Answer.Content) -> Void
    ) {
        guard case .later(let ask) = content else { return respond(content) }
        var isAnswered = false
        ask { [weak self] answer in
            guard let self, !isAnswered else { return }
            isAnswered = true
            self.answer(answer, respond)
        }
    }
}

extension ATTErrorCode {
    init(_ code: CBATTError.Code) {
        // Success is not an error code; use an unspecific one instead.
        self = UInt8(exactly: code.rawValue).flatMap { $0 == 0 ? nil : ATTErrorCode(rawValue: $0) } ?? .unlikelyError
    }
}
