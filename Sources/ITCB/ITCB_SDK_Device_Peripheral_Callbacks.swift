// The delegate methods of a ball's device: each checks the stage first, and a late call is ignored.

import CoreBluetooth
import Foundation

extension ITCB_SDK_Device_Peripheral: CBPeripheralDelegate {
    /// The services were discovered: asks for the characteristics of the 8-ball service.
    internal func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        guard case .discovering = _stage else { return }
        if let error = error {
            owner?._cancelConnection(self, because: .coreBluetooth(error))
            return
        }
        owner?._note(.discoveredServices(count: peripheral.services?.count ?? 0))
        guard let service = _service else {
            owner?._cancelConnection(self, because: .coreBluetooth(ITCB_RejectionReason.peripheralError(nil)))
            return
        }
        owner?._note(.discoveringCharacteristics)
        peripheral.discoverCharacteristics(
            [_static_ITCB_SDK_8BallService_Question_UUID, _static_ITCB_SDK_8BallService_Answer_UUID],
            for: service
        )
    }

    /// The characteristics were discovered: the ball can be asked.
    internal func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: Error?
    ) {
        guard case .discovering = _stage else { return }
        if let error = error {
            owner?._cancelConnection(self, because: .coreBluetooth(error))
            return
        }
        owner?._note(.discoveredCharacteristics(count: service.characteristics?.count ?? 0))
        guard nil != _questionCharacteristic, nil != _answerCharacteristic else {
            owner?._cancelConnection(self, because: .coreBluetooth(ITCB_RejectionReason.peripheralError(nil)))
            return
        }
        _stopTimeout()
        _stage = .idle
        guard !_isAnnounced else { return }
        _isAnnounced = true
        owner?._note(.ready(name: name))
        owner?._sendDeviceDiscoveredMessageToAllObservers(device: self)
    }

    /// The signal strength was measured.
    internal func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: Error?) {
        guard nil == error, _static_ITCB_SDK_RSSI_NotAvailable != RSSI.intValue else { return }
        owner?._note(.signalRead(uuid: uuid ?? "", rssi: RSSI.intValue))
    }

    /// The ball has switched its notifications, or refused to.
    internal func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: Error?
    ) {
        guard characteristic === _answerCharacteristic else { return }
        switch _stage {
        case .subscribing(let question):
            if let error = error {
                _endConversation(with: .sendFailed(ITCB_Errors.coreBluetooth(error)))
            } else if characteristic.isNotifying {
                owner?._note(.setNotifications(isOn: true))
                _write(question)
            }
        case .unsubscribing(let next):
            // A late "on" of a conversation that timed out precedes the expected "off".
            guard nil != error || !characteristic.isNotifying else { return }
            owner?._note(.setNotifications(isOn: characteristic.isNotifying))
            _stage = .idle
            if let question = next {
                // The question's timeout is running.
                _ask(question)
            } else {
                _stopTimeout()
            }
        case .connecting, .discovering, .idle, .writing, .awaitingAnswer, .ended:
            break
        }
    }

    /// The ball has confirmed the question, or refused it.
    internal func peripheral(
        _ peripheral: CBPeripheral,
        didWriteValueFor characteristic: CBCharacteristic,
        error: Error?
    ) {
        guard case .writing(let question, let answer) = _stage, characteristic === _questionCharacteristic else {
            return
        }
        guard let error = error else {
            _stage = .awaitingAnswer(question: question)
            owner?._note(.questionConfirmed(question))
            self.question = question
            if let answer = answer, case .awaitingAnswer = _stage {
                _accept(answer)
            }
            return
        }
        owner?._note(.questionRefused(question))
        guard let attError = error as? CBATTError else {
            _endConversation(with: .sendFailed(ITCB_RejectionReason.unknown(error)))
            return
        }
        let reason: ITCB_RejectionReason
        switch ITCB_SDK_Refusal(attError.code) {
        case .noQuestion: reason = .questionPlease
        case .busy: reason = .deviceBusy
        case .unreadable: reason = .peripheralError(attError)
        }
        _endConversation(with: .sendFailed(ITCB_Errors.coreBluetooth(reason)))
    }

    /// An answer has arrived.
    internal func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: Error?
    ) {
        guard characteristic === _answerCharacteristic else { return }
        let text = characteristic.value.flatMap { String(data: $0, encoding: .utf8) } ?? ""
        switch _stage {
        case .writing(let question, _) where nil == error && !text.isEmpty:
            _stage = .writing(question: question, answer: text)
        case .awaitingAnswer:
            if nil == error && !text.isEmpty {
                _accept(text)
            } else {
                _stopTimeout()
                _stopNotifications()
                _report(error.map { .coreBluetooth($0) } ?? .sendFailed(ITCB_RejectionReason.peripheralError(nil)))
            }
        case .connecting, .discovering, .idle, .subscribing, .writing, .unsubscribing, .ended:
            break
        }
    }

    /// The ball changed its services: if ours is among them, it is explored again.
    internal func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        guard invalidatedServices.contains(where: { $0.uuid == _static_ITCB_SDK_8BallServiceUUID }) else { return }
        switch _stage {
        case .connecting, .ended:
            return
        case .discovering, .idle, .subscribing, .writing, .awaitingAnswer, .unsubscribing:
            let hadQuestion = nil != _pendingQuestion
            _stage = .discovering
            _startTimeout(ITCB_SDK_Central._connectionTimeoutLengthInSeconds)
            owner?._note(.discoveringServices)
            peripheral.discoverServices([_static_ITCB_SDK_8BallServiceUUID])
            if hadQuestion {
                // The ball is still there, but the answer will not arrive.
                _report(.sendFailed(ITCB_RejectionReason.peripheralError(nil)))
            }
        }
    }
}
