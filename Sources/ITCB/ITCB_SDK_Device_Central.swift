// A central, as the ball sees it: its subscription, and the state of its question.

#if !os(tvOS) && !os(watchOS) && !os(visionOS)
import CoreBluetooth
import Foundation

/// A central, as a ball sees it.
internal class ITCB_SDK_Device_Central: ITCB_SDK_Device, ITCB_Device_Central_Protocol {
    /// The state of the central's question.
    internal enum _Stage {
        /// No answer is due.
        case idle
        /// A question was confirmed and is not answered yet.
        case asked(question: String)
        /// The answer waits until the central subscribes or reads it.
        case answered(question: String, answer: String)
    }

    /// The state of the question.
    internal private(set) var _stage: _Stage = .idle

    /// The answer's characteristic, while the central is subscribed to it.
    internal private(set) var _subscribedChar: CBCharacteristic?

    /// The value that a read of the answer gets: this central's last answer.
    internal private(set) var _readableAnswer = Data()

    /// Whether the transmit queue was full for this central, with no report of space since.
    internal var _isOutOfRoom = false

    /// The ball that created the device.
    internal private(set) weak var owner: ITCB_SDK_Peripheral?

    /// Core Bluetooth's object for the central.
    internal let _central: CBCentral

    internal override var _owner: ITCB_SDK? { owner }

    /// Whether the central has subscribed.
    internal var _isSubscribed: Bool { nil != _subscribedChar }

    /// Whether a question is refused because an earlier answer is still waiting.
    internal var _isBusy: Bool {
        if _hasWaitingAnswers { return true }
        guard _isSubscribed else { return false }
        switch _stage {
        case .idle, .answered:
            return false
        case .asked:
            return true
        }
    }

    /// Whether a question of the central waits for its answer.
    internal var _hasOpenQuestion: Bool {
        if case .asked = _stage { return true }
        return false
    }

    /// Whether answers wait for space in the transmit queue.
    internal var _hasWaitingAnswers: Bool {
        owner?._waitingAnswers.contains { $0.device === self } ?? false
    }

    /// Creates the device.
    ///
    /// A central has no name, so it goes by its identifier.
    internal init(_ central: CBCentral, owner: ITCB_SDK_Peripheral) {
        _central = central
        self.owner = owner
        super.init(central, name: central.identifier.uuidString)
    }

    // MARK: Questions and answers

    /// A question was accepted: notifies the observers, and answers it if none of them did.
    internal func _didAsk(_ question: String) {
        guard let owner = owner else { return }
        _stage = .asked(question: question)
        error = nil
        _readableAnswer = Data()
        owner._sendQuestionAskedToAllObservers(device: self, question: question)
        guard case .asked(let question) = _stage, !owner.answersByHand else { return }
        sendAnswer(owner._randomAnswer(), toQuestion: question)
    }

    /// Sends an answer.
    internal func sendAnswer(_ answer: String, toQuestion question: String) {
        guard let owner = owner else { return }
        let data = Data(answer.utf8)
        guard data.count <= (_isSubscribed ? _central.maximumUpdateValueLength : _static_ITCB_SDK_MaximumValueLength)
        else {
            // Core Bluetooth would truncate it silently.
            _stage = .idle
            let tooLong = CBATTError(.invalidAttributeValueLength)
            _report(.sendFailed(ITCB_RejectionReason.peripheralError(tooLong)))
            return
        }
        _readableAnswer = data
        if _isSubscribed {
            _stage = .idle
            owner._send(_ITCB_SDK_WaitingAnswer(device: self, answer: answer, question: question))
            return
        }
        switch _stage {
        case .asked, .answered:
            _stage = .answered(question: question, answer: answer)
        case .idle:
            // The central has given up on the question. When it subscribes again, it expects the answer to another one.
            _report(.sendFailed(ITCB_RejectionReason.deviceOffline))
        }
    }

    /// The central has read its answer; if the answer was waiting for that, the observers are called.
    internal func _didRead() {
        guard case .answered(let question, let answer) = _stage, let owner = owner else { return }
        _stage = .idle
        owner._note(.answerSent(answer))
        owner._sendSuccessInSendingAnswerToAllObservers(device: self, answer: answer, toQuestion: question)
    }

    // MARK: Subscription

    /// The central has subscribed; an answer that waited for that is sent.
    internal func _didSubscribe(to characteristic: CBCharacteristic) {
        _subscribedChar = characteristic
        guard case .answered(let question, let answer) = _stage else { return }
        sendAnswer(answer, toQuestion: question)
    }

    /// The central has unsubscribed; an answer that was not on its way yet is lost with the link.
    internal func _didUnsubscribe() {
        let isAnswerLost: Bool
        switch _stage {
        case .asked:
            _stage = .idle
            isAnswerLost = true
        case .idle, .answered:
            isAnswerLost = _hasWaitingAnswers
        }
        _subscribedChar = nil
        owner?._waitingAnswers.removeAll { $0.device === self }
        if isAnswerLost {
            _report(.sendFailed(ITCB_RejectionReason.deviceOffline))
        }
    }

    /// The central is gone.
    internal func _end() {
        _didUnsubscribe()
        _stage = .idle
    }
}
#endif
