// The answers of a described peripheral, and their delays.

import BluetoothHost
import CommandLineTool
import CoreBluetooth
import Foundation

extension AdvertiseSession {
    /// Calls `body` after the longest delay of the characteristics, or at once if they have none.
    ///
    /// The parts of a long read wait only once, for the first part.
    func afterDelay(of requests: [CBATTRequest], _ answer: @escaping @MainActor () -> Void) {
        let delays = requests.filter { $0.offset == 0 }.compactMap { attribute($0.characteristic)?.description.delay }
        guard let delay = delays.max(), delay > 0 else { return answer() }
        DispatchQueue.main.asyncAfter(deadline: .now() + delay) { MainActor.assumeIsolated(answer) }
    }

    /// Answers a read.
    func answer(read request: CBATTRequest, _ peripheral: CBPeripheralManager) {
        let value: Data
        if let server, server.owns(request.characteristic) {
            value = server.value(of: request.characteristic)
        } else if let attribute = attribute(request.characteristic) {
            if request.offset == 0 {
                report("read", request.characteristic, request.central)
                if let error = read(attribute) { return peripheral.respond(to: request, withResult: error) }
            }
            value = attribute.value
        } else {
            return peripheral.respond(to: request, withResult: .attributeNotFound)
        }
        guard request.offset <= value.count else { return peripheral.respond(to: request, withResult: .invalidOffset) }
        request.value = Data(value.dropFirst(request.offset))
        peripheral.respond(to: request, withResult: .success)
    }

    /// Answers the writes of one request: all of them or none.
    func answer(write requests: [CBATTRequest], _ peripheral: CBPeripheralManager) {
        guard let first = requests.first else { return }
        if let server, server.owns(first.characteristic) {
            for request in requests { server.received(request.value ?? Data(), on: request.characteristic, peripheral) }
            return peripheral.respond(to: first, withResult: .success)
        }
        var values: [ObjectIdentifier: Data] = [:]
        for request in requests {
            guard let attribute = attribute(request.characteristic) else {
                return peripheral.respond(to: first, withResult: .attributeNotFound)
            }
            let before = values[ObjectIdentifier(attribute)] ?? (request.offset == 0 ? Data() : attribute.value)
            guard let value = before.writing(request.value ?? Data(), at: request.offset) else {
                return peripheral.respond(to: first, withResult: .invalidOffset)
            }
            guard value.count <= GATTDescription.Value.limit else {
                return peripheral.respond(to: first, withResult: .invalidAttributeValueLength)
            }
            values[ObjectIdentifier(attribute)] = value
        }
        let written = attributes.filter { values[ObjectIdentifier($0)] != nil }
        let replies = written.map { write(values[ObjectIdentifier($0)] ?? Data(), to: $0) }
        if let error = replies.compactMap(\.error).first { return peripheral.respond(to: first, withResult: error) }
        if !replies.contains(where: \.isUnanswered) { peripheral.respond(to: first, withResult: .success) }
        for reply in replies { send(reply) }
        for attribute in written {
            guard let value = values[ObjectIdentifier(attribute)] else { continue }
            attribute.value = value
            report("written", attribute.characteristic, first.central, value)
            if attribute.replay == nil, !(attribute.characteristic.subscribedCentrals ?? []).isEmpty {
                notify(Update(attribute: attribute, value: value))
            }
        }
    }
}
