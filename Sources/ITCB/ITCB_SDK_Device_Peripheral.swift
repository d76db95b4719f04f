// A ball, as the central sees it: one conversation at a time, from discovery to loss. The state is one enum, which
// every callback checks first, so a late event (an answer after its timeout, a confirmation of a cancelled write) is
// never taken for the expected one.
//
// After an answer or a timeout, the notifications are switched off. This is more than tidiness: once the ball has
// confirmed it, everything that belongs to the earlier question has arrived, and the next one starts clean. A question
// that is asked meanwhile waits for that confirmation.

import CoreBluetooth
import Foundation

/// A ball, as a central sees it.
internal class ITCB_SDK_Device_Peripheral: ITCB_SDK_Device, ITCB_Device_Peripheral_Protocol {
    /// The stage of the conversation.
    internal enum _Stage {
        /// A connection was requested.
        case connecting
        /// The services and characteristics are being explored.
        case discovering
        /// A question can be asked.
        case idle
        /// The notifications are being switched on for a question.
        case subscribing(question: String)
        /// The question is being written; an answer that arrives before the confirmation is kept.
        case writing(question: String, answer: String?)
        /// The question is confirmed.
        case awaitingAnswer(question: String)
        /// The notifications are being switched off; a question may wait for the confirmation.
        case unsubscribing(next: String?)
        /// The device was lost, or its connection cancelled.
        case ended
    }

    /// The stage of the conversation.
    internal var _stage: _Stage = .connecting

    /// The running timeout, of the connection or of the question.
    internal private(set) var _timeoutTimer: ITCB_SDK_ScheduledWork?

    /// Whether the observers know the device.
    internal var _isAnnounced = false

    /// The last question that the ball has confirmed; setting it calls the observers.
    internal var question: String? {
        didSet {
            if nil != question {
                owner?._sendQuestionAskedMessageToAllObservers(device: self)
            }
        }
    }

    /// The ball's last answer; setting it calls the observers.
    internal private(set) var answer: String? {
        didSet {
            if nil != answer {
                owner?._sendQuestionAnsweredMessageToAllObservers(device: self)
            }
        }
    }

    /// The central that found the ball.
    internal private(set) weak var owner: ITCB_SDK_Central?

    /// Core Bluetooth's object for the ball.
    internal let _peripheral: CBPeripheral

    internal override var _owner: ITCB_SDK? { owner }

    /// Creates the device and becomes the peripheral's delegate.
    internal init(_ peripheral: CBPeripheral, name: String, owner: ITCB_SDK_Central) {
        _peripheral = peripheral
        self.owner = owner
        super.init(peripheral, name: name)
        peripheral.delegate = self
    }

    // MARK: Links

    /// Requests a connection.
    internal func _connect(with manager: CBCentralManager) {
        _stage = .connecting
        _startTimeout(ITCB_SDK_Central._connectionTimeoutLengthInSeconds)
        owner?._note(.connecting(name: name))
        manager.connect(_peripheral, options: nil)
    }

    /// The ball is connected: explores it.
    internal func _didConnect() {
        guard case .connecting = _stage else { return }
        _stage = .discovering
        owner?._note(.connected(name: name))
        owner?._note(.discoveringServices)
        _peripheral.discoverServices([_static_ITCB_SDK_8BallServiceUUID])
    }

    /// The ball is lost; returns whether a question was pending.
    @discardableResult
    internal func _end() -> Bool {
        let hadQuestion = nil != _pendingQuestion
        _stage = .ended
        _stopTimeout()
        if _peripheral.delegate === self {
            _peripheral.delegate = nil
        }
        return hadQuestion
    }

    /// Measures the signal strength, if the ball is connected.
    internal func _readSignal() {
        switch _stage {
        case .connecting, .ended: break
        case .discovering, .idle, .subscribing, .writing, .awaitingAnswer, .unsubscribing: _peripheral.readRSSI()
        }
    }

    // MARK: Questions

    /// Asks a question.
    internal func sendQuestion(_ question: String) {
        let data = Data(question.utf8)
        switch _stage {
        case .subscribing, .writing, .awaitingAnswer, .unsubscribing(.some):
            // Neither the pending question nor the app's view of it changes.
            _report(.sendFailed(ITCB_RejectionReason.deviceBusy))
        case .connecting, .discovering, .ended:
            self.question = nil
            _report(.sendFailed(ITCB_RejectionReason.deviceOffline))
        case .idle, .unsubscribing(.none):
            self.question = nil
            error = nil
            owner?._note(.sendingQuestion(question))
            guard data.count <= _static_ITCB_SDK_MaximumValueLength else {
                let tooLong = CBATTError(.invalidAttributeValueLength)
                _report(.sendFailed(ITCB_Errors.coreBluetooth(ITCB_RejectionReason.peripheralError(tooLong))))
                return
            }
            _startTimeout(owner?.answerTimeLimit ?? 0)
            if case .unsubscribing = _stage {
                _stage = .unsubscribing(next: question)
            } else {
                _ask(question)
            }
        }
    }

    /// The question that is pending.
    internal var _pendingQuestion: String? {
        switch _stage {
        case .subscribing(let question), .writing(let question, _), .awaitingAnswer(let question):
            return question
        case .unsubscribing(let next):
            return next
        case .connecting, .discovering, .idle, .ended:
            return nil
        }
    }

    /// Starts the conversation: switches the notifications on, then writes the question.
    internal func _ask(_ question: String) {
        guard let answerCharacteristic = _answerCharacteristic else {
            _endConversation(with: .sendFailed(ITCB_RejectionReason.deviceOffline))
            return
        }
        if answerCharacteristic.isNotifying {
            _write(question)
        } else {
            _stage = .subscribing(question: question)
            owner?._note(.settingNotifications(isOn: true))
            _peripheral.setNotifyValue(true, for: answerCharacteristic)
        }
    }

    /// Writes the question and waits for its confirmation.
    internal func _write(_ question: String) {
        guard let questionCharacteristic = _questionCharacteristic else {
            _endConversation(with: .sendFailed(ITCB_RejectionReason.deviceOffline))
            return
        }
        _stage = .writing(question: question, answer: nil)
        owner?._note(.writingQuestion(question))
        _peripheral.writeValue(Data(question.utf8), for: questionCharacteristic, type: .withResponse)
    }

    /// An answer has arrived: switches the notifications off, then calls the observers.
    internal func _accept(_ text: String) {
        _stopTimeout()
        owner?._note(.answerReceived(text))
        _stopNotifications()
        answer = text
    }

    /// Ends the conversation with an error; nothing of it is pending any more.
    internal func _endConversation(with error: ITCB_Errors) {
        _stopTimeout()
        _stage = .idle
        _report(error)
    }

    /// Switches the notifications off; the device is idle once the ball has confirmed it.
    internal func _stopNotifications() {
        guard let answerCharacteristic = _answerCharacteristic else {
            _stage = .idle
            return
        }
        _stage = .unsubscribing(next: nil)
        _startTimeout(ITCB_SDK_Central._connectionTimeoutLengthInSeconds)
        owner?._note(.settingNotifications(isOn: false))
        _peripheral.setNotifyValue(false, for: answerCharacteristic)
    }

    // MARK: Timeouts

    internal func _startTimeout(_ seconds: TimeInterval) {
        _timeoutTimer?.cancel()
        _timeoutTimer = owner?._scheduler.schedule(after: seconds) { [weak self] in
            self?._timeoutTimer = nil
            self?._didTimeOut()
        }
    }

    internal func _stopTimeout() {
        _timeoutTimer?.cancel()
        _timeoutTimer = nil
    }

    private func _didTimeOut() {
        switch _stage {
        case .connecting, .discovering:
            owner?._note(.connectionFailed(name: name))
            owner?._cancelConnection(self, because: .coreBluetooth(ITCB_RejectionReason.deviceOffline))
        case .subscribing, .writing, .awaitingAnswer:
            if let owner = owner, let idleTime = owner.userIdleTime?(), idleTime < owner.answerTimeLimit {
                _startTimeout(max(0.01, owner.answerTimeLimit - idleTime))
                return
            }
            _stopNotifications()
            _report(.sendFailed(ITCB_RejectionReason.deviceOffline))
        case .unsubscribing(let next):
            // The link exists, but nothing comes through it, so it is useless.
            let reason = ITCB_RejectionReason.deviceOffline
            owner?._note(.lost(name: name))
            owner?._cancelConnection(self, because: nil == next ? .coreBluetooth(reason) : .sendFailed(reason))
        case .idle, .ended:
            break
        }
    }

    // MARK: Attributes

    internal var _service: CBService? {
        _peripheral.services?[_static_ITCB_SDK_8BallServiceUUID.uuidString]
    }

    internal var _questionCharacteristic: CBCharacteristic? {
        _service?.characteristics?[_static_ITCB_SDK_8BallService_Question_UUID.uuidString]
    }

    internal var _answerCharacteristic: CBCharacteristic? {
        _service?.characteristics?[_static_ITCB_SDK_8BallService_Answer_UUID.uuidString]
    }
}
