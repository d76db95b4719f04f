// Answers of a scripted device as recorded in a capture. A request without a recorded answer is a mistake of the test,
// reported at the line where the script was created; the central gets an error.

import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import NIOCore

extension ScriptPlayer {
    /// The recorded answer to a read.
    func recordedAnswer(toReadOf handle: AttributeHandle) -> ScriptedPeripheral.Answer {
        guard let entry = self.entries[handle], let result = self.entries[handle]?.replay?.read() else {
            return self.unseen(
                "the capture has no value for characteristic \(self.name(of: handle)); "
                    + "read it while recording, or give the script's characteristic an onRead"
            )
        }
        switch result {
        case .success(let value):
            // The value for the further parts of a long read.
            self.entries[handle]?.value = Data(value.readableBytesView)
            return .success
        case .failure(let error):
            self.device.note("refuses to be read as in the capture: \(entry.definition.uuid.uuidString)")
            return .error(CBATTError.Code(rawValue: Int(error.rawValue)) ?? .unlikelyError)
        }
    }

    /// The recorded answer to a write, and the updates that follow it.
    func recordedAnswer(
        toWriteOf value: Data,
        to handle: AttributeHandle
    ) -> (answer: ScriptedPeripheral.Answer, follow: (() -> Void)?) {
        guard let write = self.entries[handle]?.replay?.write(ByteBuffer(bytes: value)) else {
            let digits = value.hexadecimalDigits()
            return (
                self.unseen(
                    "the capture has no write of \(digits.isEmpty ? "nothing" : digits) to characteristic "
                        + "\(self.name(of: handle)); write it while recording, or give the script's characteristic an "
                        + "onWrite"
                ),
                nil
            )
        }
        if write.isUnanswered { return (.noResponse, nil) }
        if let error = write.error {
            return (.error(CBATTError.Code(rawValue: Int(error.rawValue)) ?? .unlikelyError), nil)
        }
        let answers = write.answers.compactMap { answer -> (AttributeHandle, RecordedCharacteristic.Answer)? in
            self.handle(ofRecorded: answer.handle).map { ($0, answer) }
        }
        return (
            .success,
            { [weak self] in
                for (handle, answer) in answers {
                    self?.host.eventLoop.assumeIsolated().scheduleTask(in: answer.delay) {
                        self?.send(Data(answer.value.readableBytesView), of: handle)
                    }
                }
            }
        )
    }

    /// Reports a subscription that is not in the capture.
    func noteUnseenSubscription(_ entry: Entry) {
        guard let recording = entry.definition.recording, !recording.wasSubscribed, entry.definition.updates == nil
        else {
            return
        }
        self.reportUnseen(
            "the capture has no subscription to characteristic \(entry.definition.uuid.uuidString); "
                + "subscribe to it while recording, or give the script's characteristic updates"
        )
    }

    private func handle(ofRecorded handle: AttributeHandle) -> AttributeHandle? {
        self.handles.first { self.entries[$0]?.definition.recording?.handle == handle }
    }

    private func name(of handle: AttributeHandle) -> String {
        self.entries[handle]?.definition.uuid.uuidString ?? "\(handle)"
    }

    private func unseen(_ text: String) -> ScriptedPeripheral.Answer {
        self.reportUnseen(text)
        return .error(.unlikelyError)
    }

    private func reportUnseen(_ text: String) { self.device.reportMistake(text) }
}
