// Devices and an SDK that do nothing on their own.

import Foundation
import ITCB

/// A ball for the SDK of a central; it records the questions that it gets.
final class BallStub: ITCB_Device_Peripheral_Protocol {
    let uuid: String?
    let name: String
    var error: ITCB_Errors!
    var question: String?
    var answer: String?
    private(set) var questions: [String] = []
    /// Called when a question is sent.
    var onQuestion: (() -> Void)?

    init(_ name: String, uuid: String?) {
        self.name = name
        self.uuid = uuid
    }

    convenience init(_ name: String) { self.init(name, uuid: name) }

    func amIThisDevice(_ device: any ITCB_Device_Protocol) -> Bool { device.uuid == uuid }

    func rejectConnectionBecause(_ reason: ITCB_RejectionReason!) {}

    func sendQuestion(_ question: String) {
        questions.append(question)
        onQuestion?()
    }
}

/// A central for the SDK of a ball; it records the answers that it gets.
final class AskerStub: ITCB_Device_Central_Protocol {
    let uuid: String?
    let name: String
    var error: ITCB_Errors!
    private(set) var answers: [String] = []

    init(_ name: String, uuid: String?) {
        self.name = name
        self.uuid = uuid
    }

    convenience init(_ name: String) { self.init(name, uuid: name) }

    func amIThisDevice(_ device: any ITCB_Device_Protocol) -> Bool { device.uuid == uuid }

    func rejectConnectionBecause(_ reason: ITCB_RejectionReason!) {}

    func sendAnswer(_ answer: String, toQuestion: String) { answers.append("\(toQuestion) \(answer)") }
}

/// An SDK, for calls that take one.
final class SilentSDK: ITCB_SDK_Protocol {
    var error: ITCB_Errors? { nil }
    var isCoreBluetoothPoweredOn: Bool { true }
    var localName = ""
    var observers: [any ITCB_Observer_Protocol] = []

    func addObserver(_ observer: any ITCB_Observer_Protocol) -> UUID! { nil }

    func removeObserver(_ observer: any ITCB_Observer_Protocol) {}

    func isObserving(_ observer: any ITCB_Observer_Protocol) -> Bool { false }
}
