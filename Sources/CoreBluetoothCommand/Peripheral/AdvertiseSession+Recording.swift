// Plays a recorded conversation as a described peripheral.

import BluetoothHost
import CommandLineTool
import CoreBluetooth
import Foundation
import NIOCore

extension AdvertiseSession {
    /// The outcome of a write.
    struct Reply {
        var error: CBATTError.Code?
        var isUnanswered = false
        var sendings: [(attribute: Attribute, delay: Double, value: Data)] = []
    }

    /// Makes the next recorded value the present one; returns the error that the read gets instead, if any.
    func read(_ attribute: Attribute) -> CBATTError.Code? {
        switch attribute.replay?.read() {
        case .success(let value)?:
            attribute.value = Data(value.readableBytesView)
            return nil
        case .failure(let error)?: return CBATTError.Code(rawValue: Int(error.rawValue)) ?? .unlikelyError
        case nil:
            guard attribute.description.isStrict else { return nil }
            reportUnseen("the capture has no value for characteristic \(attribute.description.uuid.uuid)")
            return .unlikelyError
        }
    }

    /// What becomes of a write.
    func write(_ value: Data, to attribute: Attribute) -> Reply {
        guard attribute.description.answers != nil else { return Reply() }
        guard let write = attribute.replay?.write(ByteBuffer(bytes: value)) else {
            reportUnseen(
                "there is no write of \(HexadecimalText.digits(value)) to characteristic "
                    + "\(attribute.description.uuid.uuid) to answer it by"
            )
            return Reply(error: .unlikelyError)
        }
        if let error = write.error {
            return Reply(error: CBATTError.Code(rawValue: Int(error.rawValue)) ?? .unlikelyError)
        }
        let recorded = attribute.description.answers?.first { answer in
            answer.written.data == value
                && (answer.notifications ?? []).map(\.value.data)
                    == write.answers.map { Data($0.value.readableBytesView) }
        }
        var reply = Reply(isUnanswered: write.isUnanswered)
        for timed in recorded?.notifications ?? [] {
            let sender =
                timed.uuid.flatMap { uuid in
                    attributes.first {
                        $0.characteristic.uuid == uuid.uuid
                            && $0.characteristic.service === attribute.characteristic.service
                    }
                } ?? attribute
            reply.sendings.append((sender, timed.after, timed.value.data))
        }
        return reply
    }

    /// Sends the values that follow from a write.
    func send(_ reply: Reply) {
        for (attribute, delay, value) in reply.sendings {
            DispatchQueue.main.asyncAfter(deadline: .now() + delay) {
                MainActor.assumeIsolated { self.send(value, of: attribute) }
            }
        }
    }

    private func send(_ value: Data, of attribute: Attribute) {
        attribute.value = value
        attribute.replay?.sent(ByteBuffer(bytes: value))
        guard !(attribute.characteristic.subscribedCentrals ?? []).isEmpty else { return }
        notify(Update(attribute: attribute, value: value))
    }

    /// Sends the recorded values while there are subscribers, from the first subscription on.
    func watchRecorded(_ attribute: Attribute, _ hasSubscribers: Bool) {
        guard hasSubscribers else {
            for sending in attribute.sendings { sending.cancel() }
            return attribute.sendings = []
        }
        guard attribute.sendings.isEmpty, let notifications = attribute.description.notifications else {
            if attribute.description.isStrict, attribute.description.notifications == nil {
                reportUnseen(
                    "the capture has no subscription to characteristic \(attribute.description.uuid.uuid)"
                )
            }
            return
        }
        attribute.sendings = notifications.map { timed in
            let sending = DispatchWorkItem {
                MainActor.assumeIsolated { self.send(timed.value.data, of: attribute) }
            }
            DispatchQueue.main.asyncAfter(deadline: .now() + timed.after, execute: sending)
            return sending
        }
    }

    private func reportUnseen(_ text: String) { Console.warn(text) }
}
