// Words for the SDK's reports: answers and errors. The SDK sends keys, which the app translates.

import CommandLineTool
import CoreBluetooth
import Foundation
import ITCB

/// The answers of a Magic 8-Ball, by their keys.
enum Answers {
    /// The words for a key; an unknown key is shown as it is.
    static func words(for key: String, _ texts: Texts = .english) -> String {
        PrintableText.text(texts.answer(key))
    }

    /// The fields of an answer in a JSON object, after its event.
    static func details(_ key: String, of device: String, to question: String) -> [(key: String, value: JSONValue)] {
        [
            ("device", .string(device)), ("question", .string(question)), ("answer", .string(words(for: key))),
            ("key", .string(key)),
        ]
    }
}

/// Words for an error, to follow a device's name.
enum ErrorWords {
    /// The words for an error of the SDK and, if there is one, for the error inside it.
    static func words(for error: any Error, _ texts: Texts = .english) -> String { texts(text(for: error)) }

    /// The same, not yet in a language.
    static func text(for error: any Error) -> LocalizableText {
        switch error {
        case let error as ITCB_Errors:
            switch error {
            case .coreBluetooth(let inner):
                inner.map { text(for: $0) } ?? LocalizableText(.errorBluetooth)
            case .sendFailed(let inner):
                inner.map { text(for: $0) } ?? LocalizableText(.errorSend)
            case .unknown(let inner):
                inner.map { text(for: $0) } ?? LocalizableText(.errorUnknown)
            }
        case let reason as ITCB_RejectionReason:
            switch reason {
            case .deviceOffline:
                LocalizableText(.rejectOffline)
            case .deviceBusy:
                LocalizableText(.rejectBusy)
            case .questionPlease:
                LocalizableText(.rejectQuestion)
            case .peripheralError(let inner):
                LocalizableText(.rejectPeripheral) + (inner.map { " (\(detail(of: $0)))" } ?? "")
            case .unknown(let inner):
                LocalizableText(.rejectUnknown) + " "
                    + (inner.map { "(\(detail(of: $0)))" } ?? LocalizableText(.withoutReason))
            }
        default:
            LocalizableText(.errorDetail, detail(of: error))
        }
    }

    /// Whether an error says "offline" of a ball that is still connected: the answer has timed out.
    static func isSilence(
        _ error: any Error,
        of device: any ITCB_Device_Peripheral_Protocol,
        _ sdk: any ITCB_SDK_Protocol
    ) -> Bool {
        guard key(for: error) == ITCB_RejectionReason.deviceOffline.localizedDescription else { return false }
        return (sdk as? any ITCB_SDK_Central_Protocol)?.devices.contains { $0.uuid == device.uuid } == true
    }

    /// The SDK's key for an error, that of its innermost reason, for programs that read `--json`.
    static func key(for error: any Error) -> String {
        switch error {
        case let error as ITCB_Errors:
            switch error {
            case .coreBluetooth(let inner?), .sendFailed(let inner?), .unknown(let inner?):
                inner is ITCB_Errors || inner is ITCB_RejectionReason ? key(for: inner) : error.localizedDescription
            case .coreBluetooth(nil), .sendFailed(nil), .unknown(nil):
                error.localizedDescription
            }
        case let reason as ITCB_RejectionReason:
            reason.localizedDescription
        default:
            "ITCB-SDK-ERROR-UNKNOWN"
        }
    }

    /// The words for a device's error, with advice if it concerns security.
    @MainActor
    static func words(
        for error: any Error,
        from device: String,
        _ pairing: ProgramPairing,
        _ texts: Texts = .english
    ) -> String {
        let cause = cause(of: error)
        let advice = pairing.advice(for: cause, device: device)
        guard !advice.isEmpty else { return words(for: error, texts) }
        var sentence = detail(of: cause)
        if sentence.hasSuffix(".") { sentence.removeLast() }
        return texts(.rejectUnknown) + ": " + sentence + advice
    }

    /// The Core Bluetooth error inside an error of the SDK; the error itself if there is none.
    private static func cause(of error: any Error) -> any Error {
        switch error {
        case let error as ITCB_Errors:
            switch error {
            case .coreBluetooth(let inner?), .sendFailed(let inner?), .unknown(let inner?): cause(of: inner)
            case .coreBluetooth(nil), .sendFailed(nil), .unknown(nil): error
            }
        case let reason as ITCB_RejectionReason:
            switch reason {
            case .peripheralError(let inner?), .unknown(let inner?): cause(of: inner)
            case .deviceOffline, .deviceBusy, .questionPlease, .peripheralError(nil), .unknown(nil): reason
            }
        default:
            error
        }
    }

    private static func detail(of error: any Error) -> String {
        PrintableText.text(error.localizedDescription)
    }
}
